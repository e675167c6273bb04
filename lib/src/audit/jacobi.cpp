#include "rigor/trusted.hpp"
//
#include "audit/jacobi.hpp"

namespace rankcert::audit {
namespace {

using Index = Eigen::Index;

constexpr int kMostSweeps = 60;
constexpr long kGuardBits = 12;

/// a·b.
MpMatrix times(const MpMatrix& a, const MpMatrix& b, bool transpose_a) {
    const Index rows = transpose_a ? a.cols() : a.rows(), inner = transpose_a ? a.rows() : a.cols();
    MpMatrix c(rows, b.cols(), b.bits());
    for (Index j = 0; j < b.cols(); ++j) {
        for (Index k = 0; k < inner; ++k) {
            if (mpfr_zero_p(b.at(k, j)) != 0) continue;
            for (Index i = 0; i < rows; ++i)
                mpfr_fma(c.at(i, j), transpose_a ? a.at(k, i) : a.at(i, k), b.at(k, j), c.at(i, j),
                         MPFR_RNDN);
        }
    }
    return c;
}

/// An orthogonal matrix near x, or I where x is not near one.
MpMatrix orthogonalised(const Eigen::MatrixXd& x, Index n, unsigned bits) {
    constexpr double kNear = 1e-6;
    const bool fits = x.rows() == n && x.cols() == n && x.allFinite();
    if (!fits || !((x.transpose() * x - Eigen::MatrixXd::Identity(n, n)).cwiseAbs().maxCoeff() < kNear))
        return MpMatrix::identity(n, bits);
    MpMatrix result(x, bits);
    for (unsigned known = 16; known < bits + 16; known *= 2) {
        MpMatrix gram = times(result, result, true);
        for (Index j = 0; j < n; ++j) {
            for (Index i = 0; i < n; ++i) {
                mpfr_neg(gram.at(i, j), gram.at(i, j), MPFR_RNDN);
                if (i == j) mpfr_add_ui(gram.at(i, j), gram.at(i, j), 3, MPFR_RNDN);
                mpfr_div_2ui(gram.at(i, j), gram.at(i, j), 1, MPFR_RNDN);
            }
        }
        result = times(result, gram, false);
    }
    return result;
}

/// The rotation that makes two numbers' mixed term vanish: tan, cos and sin of its angle from
/// ζ = (second − first)/(2 mixed).
class Rotation {
  public:
    explicit Rotation(unsigned bits) : tangent(bits), cosine(bits), sine(bits), zeta_(bits), spare_(bits) {}

    void find(mpfr_srcptr first, mpfr_srcptr second, mpfr_srcptr mixed) {
        mpfr_sub(zeta_, second, first, MPFR_RNDN);
        mpfr_div(zeta_, zeta_, mixed, MPFR_RNDN);
        mpfr_div_2ui(zeta_, zeta_, 1, MPFR_RNDN);
        mpfr_sqr(spare_, zeta_, MPFR_RNDN);
        mpfr_add_ui(spare_, spare_, 1, MPFR_RNDN);
        mpfr_sqrt(spare_, spare_, MPFR_RNDN);
        const bool negative = mpfr_signbit(zeta_) != 0;
        mpfr_abs(zeta_, zeta_, MPFR_RNDN);
        mpfr_add(spare_, spare_, zeta_, MPFR_RNDN);
        mpfr_ui_div(tangent, 1, spare_, MPFR_RNDN);
        if (negative) mpfr_neg(tangent, tangent, MPFR_RNDN);
        mpfr_sqr(spare_, tangent, MPFR_RNDN);
        mpfr_add_ui(spare_, spare_, 1, MPFR_RNDN);
        mpfr_rec_sqrt(cosine, spare_, MPFR_RNDN);
        mpfr_mul(sine, cosine, tangent, MPFR_RNDN);
    }
    /// (x, y) ← (c x − s y, s x + c y).
    void apply(mpfr_ptr x, mpfr_ptr y) {
        mpfr_fmms(spare_, cosine, x, sine, y, MPFR_RNDN);
        mpfr_fmma(y, sine, x, cosine, y, MPFR_RNDN);
        mpfr_set(x, spare_, MPFR_RNDN);
    }

    MpFloat tangent, cosine, sine;

  private:
    MpFloat zeta_, spare_;
};

void dot(mpfr_ptr result, const MpMatrix& a, Index p, Index q) {
    mpfr_set_zero(result, 1);
    for (Index i = 0; i < a.rows(); ++i) mpfr_fma(result, a.at(i, p), a.at(i, q), result, MPFR_RNDN);
}

}  // namespace

MpMatrix::MpMatrix(Index rows, Index cols, unsigned bits)
    : rows_(rows), cols_(cols), bits_(bits), cells_(static_cast<std::size_t>(rows * cols), MpFloat(bits)) {
    for (MpFloat& cell : cells_) mpfr_set_zero(cell, 1);
}

MpMatrix::MpMatrix(const Eigen::Ref<const Eigen::MatrixXd>& a, unsigned bits)
    : MpMatrix(a.rows(), a.cols(), bits) {
    for (Index j = 0; j < cols_; ++j)
        for (Index i = 0; i < rows_; ++i) mpfr_set_d(at(i, j), a(i, j), MPFR_RNDN);
}

MpMatrix MpMatrix::identity(Index n, unsigned bits) {
    MpMatrix one(n, n, bits);
    for (Index i = 0; i < n; ++i) mpfr_set_ui(one.at(i, i), 1, MPFR_RNDN);
    return one;
}

EstimatedSvd estimate_svd(const Eigen::MatrixXd& a, unsigned bits, const Eigen::MatrixXd& start) {
    const Index n = a.cols();
    EstimatedSvd svd{MpMatrix(a, bits), {}, orthogonalised(start, n, bits)};
    svd.left = times(svd.left, svd.right, false);
    Rotation rotation(bits);
    MpFloat first(bits), second(bits), mixed(bits), left(bits), right(bits);
    for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
        bool is_done = true;
        for (Index p = 0; p + 1 < n; ++p) {
            for (Index q = p + 1; q < n; ++q) {
                dot(mixed, svd.left, p, q);
                if (mpfr_zero_p(static_cast<mpfr_srcptr>(mixed)) != 0) continue;
                dot(first, svd.left, p, p);
                dot(second, svd.left, q, q);
                // mixed² ≤ first · second · 2^(2(guard − bits)): orthogonal as far as the numbers tell.
                mpfr_sqr(left, mixed, MPFR_RNDN);
                mpfr_mul(right, first, second, MPFR_RNDN);
                mpfr_mul_2si(right, right, 2 * (kGuardBits - static_cast<long>(bits)), MPFR_RNDN);
                if (mpfr_lessequal_p(left, right) != 0) continue;
                is_done = false;
                rotation.find(first, second, mixed);
                for (Index i = 0; i < a.rows(); ++i) rotation.apply(svd.left.at(i, p), svd.left.at(i, q));
                for (Index i = 0; i < n; ++i) rotation.apply(svd.right.at(i, p), svd.right.at(i, q));
            }
        }
        if (is_done) break;
    }
    for (Index j = 0; j < n; ++j) {
        MpFloat norm(bits);
        dot(norm, svd.left, j, j);
        mpfr_sqrt(norm, norm, MPFR_RNDN);
        if (mpfr_zero_p(static_cast<mpfr_srcptr>(norm)) == 0)
            for (Index i = 0; i < a.rows(); ++i)
                mpfr_div(svd.left.at(i, j), svd.left.at(i, j), norm, MPFR_RNDN);
        svd.values.push_back(norm);
    }
    return svd;
}

EstimatedEigen estimate_eigen(const Eigen::MatrixXd& a, unsigned bits, const Eigen::MatrixXd& start) {
    const Index n = a.rows();
    EstimatedEigen eigen{{}, orthogonalised(start, n, bits)};
    MpMatrix s = times(eigen.vectors, times(MpMatrix(a, bits), eigen.vectors, false), true);
    Rotation rotation(bits);
    MpFloat change(bits), least(bits);
    for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
        mpfr_set_zero(least, 1);
        for (Index j = 0; j < n; ++j) {
            if (mpfr_cmpabs(s.at(j, j), least) > 0) mpfr_abs(least, s.at(j, j), MPFR_RNDN);
        }
        mpfr_mul_2si(least, least, kGuardBits - static_cast<long>(bits), MPFR_RNDN);
        bool is_done = true;
        for (Index p = 0; p + 1 < n; ++p) {
            for (Index q = p + 1; q < n; ++q) {
                if (mpfr_cmpabs(s.at(p, q), least) <= 0) continue;
                is_done = false;
                rotation.find(s.at(p, p), s.at(q, q), s.at(p, q));
                mpfr_mul(change, rotation.tangent, s.at(p, q), MPFR_RNDN);
                mpfr_sub(s.at(p, p), s.at(p, p), change, MPFR_RNDN);
                mpfr_add(s.at(q, q), s.at(q, q), change, MPFR_RNDN);
                mpfr_set_zero(s.at(p, q), 1);
                mpfr_set_zero(s.at(q, p), 1);
                for (Index k = 0; k < n; ++k) {
                    rotation.apply(eigen.vectors.at(k, p), eigen.vectors.at(k, q));
                    if (k == p || k == q) continue;
                    rotation.apply(s.at(k, p), s.at(k, q));
                    mpfr_set(s.at(p, k), s.at(k, p), MPFR_RNDN);
                    mpfr_set(s.at(q, k), s.at(k, q), MPFR_RNDN);
                }
            }
        }
        if (is_done) break;
    }
    for (Index j = 0; j < n; ++j) {
        eigen.values.emplace_back(bits);
        mpfr_set(eigen.values.back(), s.at(j, j), MPFR_RNDN);
    }
    return eigen;
}

double work_of_jacobi(Index rows, Index cols, unsigned bits) {
    constexpr double kSweeps = 8, kOperations = 4;
    const double limbs = static_cast<double>(bits) / 64;
    return kSweeps * kOperations * static_cast<double>(cols) * static_cast<double>(cols) *
           static_cast<double>(rows + cols) / 2 * (8 + limbs * limbs);
}

}  // namespace rankcert::audit
