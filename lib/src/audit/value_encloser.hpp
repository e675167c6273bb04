#pragma once
/// \file value_encloser.hpp  Enclosures of a spectrum that get better on demand. Internal to the room.

#include "rankcert/audit/spectrum.hpp"
#include "rankcert/linalg/exact_matrix.hpp"

namespace rankcert::audit {

enum class SpectrumKind { singular, symmetric };

/// The spectrum of a matrix, or of every member of a ball. By Weyl's theorem the values of members differ
/// from those of the midpoint by at most δ ≥ ‖radius‖₂: so the midpoint's are enclosed, and widened by δ. Use
/// it under a FloatingPointGuard.
class ValueEncloser {
  public:
    /// Encloses in float64. `radius` may be nullptr. Throws Error on entries that are not finite, and where a
    /// symmetric matrix is not.
    ValueEncloser(const Eigen::Ref<const Eigen::MatrixXd>& a, const Eigen::MatrixXd* radius,
                  SpectrumKind kind, const SpectrumOptions& options);

    [[nodiscard]] Index count() const { return static_cast<Index>(values_.size()); }
    [[nodiscard]] const MpInterval& value(Index i) const { return values_[static_cast<std::size_t>(i)]; }
    [[nodiscard]] const std::vector<MpInterval>& values() const { return values_; }
    /// The value is 0, exactly, for every member.
    [[nodiscard]] bool is_zero(Index i) const;
    /// A single matrix, not a ball.
    [[nodiscard]] bool is_point() const { return mpfr_zero_p(spread_.upper_mpfr()) != 0; }
    [[nodiscard]] unsigned bits() const { return bits_; }
    /// Better enclosures by the next means; false where there is none left.
    [[nodiscard]] bool refine();
    /// What the next means takes, in operations on words, roughly.
    [[nodiscard]] double next_work() const;

    /// The exact number of singular values σ of the midpoint with σ² > square and with σ² ≥ square; of
    /// eigenvalues above, and not below, t. Nothing where that is too much work.
    struct Counts {
        Index above, at_least;
    };
    [[nodiscard]] std::optional<Counts> count_singular(const Rational& square);
    [[nodiscard]] std::optional<Counts> count_eigenvalues(const Rational& t);

  private:
    [[nodiscard]] unsigned next_bits() const;
    void enclose_fast();
    void take(const std::vector<MpInterval>& better);
    void find_zeros();
    void find_doubles();
    void publish();

    Eigen::MatrixXd a_;  ///< rows ≥ cols for singular values
    SpectrumKind kind_;
    const SpectrumOptions* options_;
    MpInterval spread_{64};  ///< [−δ, δ]
    double work_left_;
    unsigned bits_ = 53;
    bool zeros_asked_ = false;
    std::optional<ProposedDecomposition> found_;  ///< a float64 one, until it has been evaluated exactly
    Eigen::MatrixXd start_;                       ///< vectors for Jacobi to begin with
    std::vector<MpInterval> midpoint_;            ///< of the midpoint
    std::vector<MpInterval> values_;              ///< of all members
    std::optional<ExactMatrix> symmetric_;        ///< the matrix itself, or its Gram matrix
};

}  // namespace rankcert::audit
