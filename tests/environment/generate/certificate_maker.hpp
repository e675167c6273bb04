#pragma once
/// \file certificate_maker.hpp  Certificates whose verdicts are known beforehand.

#include <string>
#include <vector>

#include "certificate/fast_witnesses.hpp"
#include "rankcert/certificate/bundle.hpp"

namespace rankcert::tests {

/// Collects witnesses and claims for one subject, and what an exact checker must say of each claim. That
/// comes from tables of rationals (certificate/exact_oracle.hpp), which share no
/// code with the checkers.
class CertificateMaker {
  public:
    /// `rho`: bounds of sup ‖A − Ã‖ from elsewhere than the library (0 for a matrix). What they do not decide
    /// is "open".
    CertificateMaker(std::string name, Bundle bundle, ErrorBounds rho);

    /// A witness, with a claim on its own side of its own rank at the tolerance (or just above it, where
    /// there is such a claim already).
    void claim(const LowerWitness& witness, const Rational& epsilon);
    void claim(const UpperWitness& witness, const Rational& epsilon);
    /// A claim with this expectation, whatever its witness (which is added).
    void claim(const LowerWitness& witness, Index rank, const Rational& epsilon, const std::string& expected);
    void claim(const UpperWitness& witness, Index rank, const Rational& epsilon, const std::string& expected);
    void claim_top_k(const TopKBudget& budget, const std::string& expected);

    /// Claims well inside, just inside, just outside and well outside of what the witness proves, and at the
    /// very edge where that is a short number.
    void claim_around_edge(const LowerWitness& witness);
    void claim_around_edge(const UpperWitness& witness);

    /// A fixed space, Neumann, Eckart–Young (both sides), factors, representative rows and a row cycle, each
    /// around its edge.
    void claim_with_every_kind(test::Random& random);
    /// The rules of a softmax head at their edges.
    void claim_head_rules();

    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    /// With the expectations in its information. Throws std::runtime_error where the exact checker says
    /// otherwise.
    [[nodiscard]] Bundle finish();
    [[nodiscard]] Bundle& bundle() noexcept { return bundle_; }

  private:
    template <class Witness>
    std::string expect(const Witness& witness, Index rank, const Rational& epsilon) const;
    Rational free_near(Rational epsilon, bool lower) const;
    Claim& claim_at(const Rational& epsilon, bool lower, const std::string& expected);
    int index_of(const LowerWitness& witness);
    int index_of(const UpperWitness& witness);

    std::string name_;
    Bundle bundle_;
    ErrorBounds rho_;
    std::vector<std::string> expected_;
};

}  // namespace rankcert::tests
