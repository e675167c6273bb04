#include "rigor/trusted.hpp"
//
#include <Eigen/SVD>
#include <cmath>
#include <stdexcept>

#include "audit/inertia.hpp"
#include "audit/jacobi.hpp"
#include "audit/precise_spectrum.hpp"
#include "audit/residual.hpp"
#include "audit/value_encloser.hpp"
#include "linalg/estimate.hpp"
#include "linalg/kernel.hpp"
#include "rankcert/linalg/norms.hpp"
#include "rankcert/linalg/spectrum.hpp"

namespace rankcert::audit {
namespace {

constexpr unsigned kFirstBits = 128;
/// Eigen's JacobiSVD, the second try in float64, takes some n³ · 100 ns.
constexpr Index kLargestSecondTry = 256;

/// What the caller proposes, whatever happens in there.
std::optional<ProposedDecomposition> ask(const Decomposer& decompose, const Eigen::MatrixXd& a) {
    try {
        return decompose(a);
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

std::optional<ProposedDecomposition> second_try(const Eigen::MatrixXd& a) {
    if (a.size() == 0 || a.cols() > kLargestSecondTry) return std::nullopt;
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(a, Eigen::ComputeThinU | Eigen::ComputeThinV);
    return ProposedDecomposition{svd.matrixU(), svd.singularValues(), svd.matrixV()};
}

std::optional<Spectrum> prove(const Eigen::MatrixXd& a, SpectrumKind kind, const ProposedDecomposition& d) {
    const Index p = a.cols();
    if (d.left.rows() != a.rows() || d.left.cols() != p || d.values.size() != p) return std::nullopt;
    if (kind == SpectrumKind::symmetric) return prove_symmetric_spectrum(a, d.left, d.values);
    if (d.right.rows() != p || d.right.cols() != p) return std::nullopt;
    return prove_singular_values(a, d.left, d.values, d.right);
}

bool is_bounded(const Spectrum& spectrum) { return spectrum.lower.allFinite() && spectrum.upper.allFinite(); }

}  // namespace

ValueEncloser::ValueEncloser(const Eigen::Ref<const Eigen::MatrixXd>& a, const Eigen::MatrixXd* radius,
                             SpectrumKind kind, const SpectrumOptions& options)
    : kind_(kind), options_(&options), work_left_(options.most_work) {
    require_finite_entries(a, "the matrix");
    if (kind == SpectrumKind::symmetric) {
        detail::require_symmetric(a, "the matrix");
        if (radius != nullptr) detail::require_symmetric(*radius, "the radius");
    }
    if (kind == SpectrumKind::singular && a.rows() < a.cols()) {
        a_ = a.transpose();
    } else {
        a_ = a;
    }
    if (radius != nullptr) {
        const double delta = upper_spectral_norm(*radius);
        spread_ = MpInterval::hull_of(-delta, delta, 64);
    }
    enclose_fast();
    publish();
}

void ValueEncloser::enclose_fast() {
    const auto count = as_size(a_.cols());
    // Without any decomposition: all lie within the norm.
    const double norm = upper_spectral_norm(a_);
    const double floor = kind_ == SpectrumKind::singular ? 0 : -norm;
    midpoint_.assign(count, MpInterval::hull_of(floor, norm, 64));
    if (count == 0) return;
    if (largest_entry(a_) == 0) {
        midpoint_.assign(count, MpInterval(64));
        return;
    }
    std::vector<std::function<std::optional<ProposedDecomposition>()>> ways;
    if (options_->decompose) {
        ways.emplace_back([&] { return ask(options_->decompose, a_); });
    } else if (kind_ == SpectrumKind::symmetric) {
        ways.emplace_back([&]() -> std::optional<ProposedDecomposition> {
            auto found = detail::estimate_eigenvectors(a_);
            if (!found) return std::nullopt;
            return ProposedDecomposition{std::move(found->vectors), std::move(found->values), {}};
        });
    } else {
        ways.emplace_back([&]() -> std::optional<ProposedDecomposition> {
            auto found = detail::estimate_singular_vectors(a_);
            if (!found) return std::nullopt;
            return ProposedDecomposition{std::move(found->left), std::move(found->values),
                                         std::move(found->right)};
        });
        ways.emplace_back([&] { return second_try(a_); });
    }
    for (const auto& propose : ways) {
        const std::optional<ProposedDecomposition> proposed = propose();
        if (!proposed) continue;
        const std::optional<Spectrum> spectrum = prove(a_, kind_, *proposed);
        if (!spectrum || !is_bounded(*spectrum)) continue;
        std::vector<MpInterval> better;
        for (std::size_t i = 0; i < count; ++i) {
            const auto at = static_cast<Index>(i);
            better.push_back(MpInterval::hull_of(spectrum->lower[at], spectrum->upper[at], 64));
        }
        take(better);
        start_ = kind_ == SpectrumKind::symmetric ? proposed->left : proposed->right;
        if (kind_ == SpectrumKind::singular) found_ = *proposed;
        return;
    }
}

void ValueEncloser::take(const std::vector<MpInterval>& better) {
    for (std::size_t i = 0; i < midpoint_.size(); ++i) {
        if (midpoint_[i].is_point()) continue;
        midpoint_[i] = intersection(midpoint_[i], better[i]);
        if (midpoint_[i].is_empty())
            throw std::logic_error("two enclosures of a value have no number in common");
    }
}

void ValueEncloser::publish() {
    values_ = midpoint_;
    if (is_point()) return;
    for (MpInterval& value : values_) {
        value = value + spread_;
        if (kind_ == SpectrumKind::singular && mpfr_sgn(value.lower_mpfr()) < 0)
            mpfr_set_zero(value.mutable_lower(), 1);
    }
}

bool ValueEncloser::is_zero(Index i) const {
    const MpInterval& x = value(i);
    return mpfr_zero_p(x.lower_mpfr()) != 0 && mpfr_zero_p(x.upper_mpfr()) != 0;
}

void ValueEncloser::find_zeros() {
    bool any = false;
    for (const MpInterval& x : midpoint_) any = any || (x.contains(0.0) && !x.is_point());
    if (!any) return;
    const auto make_zero = [&](Index first, Index end) {
        for (Index i = first; i < end; ++i) midpoint_[as_size(i)].set(0.0);
    };
    if (kind_ == SpectrumKind::singular) {
        const double allowed = std::min(work_left_, kMostRankWork);
        make_zero(enclose_rank(ExactMatrix::from_double(a_), allowed).upper, a_.cols());
    } else if (const auto counts = count_eigenvalues(0)) {
        make_zero(a_.cols() - counts->at_least, a_.cols() - counts->above);
    }
}

void ValueEncloser::find_doubles() {
    std::optional<double> known;
    std::optional<Counts> counts;
    const bool singular = kind_ == SpectrumKind::singular;
    for (std::size_t i = 0; i < midpoint_.size(); ++i) {
        MpInterval& x = midpoint_[i];
        if (x.is_point()) continue;
        // A value that is a double is the only one in a narrow enclosure.
        const double low = mpfr_get_d(x.lower_mpfr(), MPFR_RNDN),
                     high = mpfr_get_d(x.upper_mpfr(), MPFR_RNDN);
        if (low != high || !std::isfinite(low) || !x.contains(low)) continue;
        if (known != low) {
            const Rational value = to_rational(low);
            counts = singular ? count_singular(value * value) : count_eigenvalues(value);
            known = low;
        }
        if (!counts) continue;
        // Descending σ_i = low where at most i are above and i + 1 at least are not below; ascending from the
        // other end.
        const auto place = singular ? static_cast<Index>(i) : a_.cols() - 1 - static_cast<Index>(i);
        if (counts->above <= place && place < counts->at_least) x.set(low);
    }
}

unsigned ValueEncloser::next_bits() const { return bits_ < kFirstBits ? kFirstBits : 2 * bits_; }

double ValueEncloser::next_work() const {
    if (zeros_asked_ && !found_) return work_of_jacobi(a_.rows(), a_.cols(), next_bits());
    return static_cast<double>(a_.rows()) * static_cast<double>(a_.cols()) * static_cast<double>(a_.cols());
}

bool ValueEncloser::refine() {
    if (count() == 0) return false;
    if (!zeros_asked_) {
        zeros_asked_ = true;
        find_zeros();
        publish();
        return true;
    }
    if (found_) {
        try {
            const auto svd = evaluate_svd(a_, found_->left, found_->values, found_->right);
            if (svd) take(enclose_values(*svd, a_.cols(), 64));
        } catch (const TooMuchWork&) {  // what was known stands
        }
        found_.reset();
        publish();
        return true;
    }
    const unsigned bits = next_bits();
    if (bits > options_->most_bits) return false;
    const double work = next_work();
    if (!(work <= work_left_)) return false;
    work_left_ -= work;
    try {
        take(kind_ == SpectrumKind::symmetric
                 ? precise_eigenvalues(a_, bits, start_)
                 : enclose_values(precise_svd(a_, bits, start_), a_.cols(), bits));
    } catch (const TooMuchWork&) {
        return false;
    }
    bits_ = bits;
    find_doubles();
    publish();
    return true;
}

std::optional<ValueEncloser::Counts> ValueEncloser::count_singular(const Rational& square) {
    if (!symmetric_) {
        const ExactMatrix a = ExactMatrix::from_double(a_);
        symmetric_ = a.transpose() * a;
    }
    const std::optional<Inertia> inertia = exact_inertia_at(*symmetric_, square, work_left_);
    if (!inertia) return std::nullopt;
    return Counts{inertia->positive, inertia->positive + inertia->zero};
}

std::optional<ValueEncloser::Counts> ValueEncloser::count_eigenvalues(const Rational& t) {
    if (!symmetric_) symmetric_ = ExactMatrix::from_double(a_);
    const std::optional<Inertia> inertia = exact_inertia_at(*symmetric_, t, work_left_);
    if (!inertia) return std::nullopt;
    return Counts{inertia->positive, inertia->positive + inertia->zero};
}

}  // namespace rankcert::audit
