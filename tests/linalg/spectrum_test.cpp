#include "rankcert/linalg/spectrum.hpp"

#include <doctest/doctest.h>

#include "linalg/ball_helpers.hpp"
#include "linalg/estimate.hpp"
#include "rankcert/rigor/error.hpp"

using namespace rankcert;
using namespace rankcert::test;

namespace {

/// Whether these are bounds of the eigenvalues, in ascending order, that the counter counts.
bool are_eigenvalue_bounds(const Spectrum& spectrum, const EigenvalueCounter& count) {
    const Index n = spectrum.lower.size();
    for (Index i = 0; i < n; ++i) {
        // λ_i ≥ lower_i exactly where at least n − i eigenvalues are; λ_i ≤ upper_i where at most n − i − 1
        // are above.
        if (spectrum.lower[i] != -kInf && count.at_least(to_rational(spectrum.lower[i])) < n - i)
            return false;
        if (spectrum.upper[i] != kInf && count.above(to_rational(spectrum.upper[i])) > n - i - 1)
            return false;
    }
    return true;
}

/// The same of singular values, in descending order, from the eigenvalues of the smaller Gram matrix.
bool are_singular_value_bounds(const Spectrum& spectrum, const EigenvalueCounter& count) {
    for (Index i = 0; i < spectrum.lower.size(); ++i) {
        const Rational lower = to_rational(spectrum.lower[i]);
        if (lower < 0 || count.at_least(lower * lower) < i + 1) return false;
        if (spectrum.upper[i] == kInf) continue;
        const Rational upper = to_rational(spectrum.upper[i]);
        if (upper < 0 || count.above(upper * upper) > i) return false;
    }
    return true;
}

EigenvalueCounter gram(const MatrixXd& a) {
    const ExactMatrix e = exact(a);
    return EigenvalueCounter(a.rows() <= a.cols() ? e * e.transpose() : e.transpose() * e);
}

double width(const Spectrum& spectrum) { return (spectrum.upper - spectrum.lower).maxCoeff(); }

MatrixXd shifted(const MatrixXd& a, int exponent) {
    return a.unaryExpr([exponent](double x) { return std::ldexp(x, exponent); });
}

}  // namespace

TEST_CASE("all eigenvalues lie between their bounds, whatever the entries and the caller's environment") {
    Random random(1);
    int enclosed = 0;
    for (Index n = 1; n <= 5; ++n)
        for (const Kind kind : kKinds)
            for (const Environment& environment : environments()) {
                const MatrixXd a = random_symmetric(n, kind, random);
                const auto spectrum = called_in(environment, [&] { return enclose_symmetric_spectrum(a); });
                REQUIRE(spectrum);
                ++enclosed;
                CHECK(spectrum->lower.size() == n);
                CHECK(are_eigenvalue_bounds(*spectrum, EigenvalueCounter(exact(a))));
                CHECK(width(*spectrum) <= 1e-12 * a.cwiseAbs().maxCoeff() + 1e-320);
            }
    CHECK(enclosed == 5 * 8 * 6);
}

TEST_CASE("all singular values lie between their bounds, for every shape") {
    Random random(2);
    for (const auto& [m, n] : {std::pair<Index, Index>{1, 1}, {1, 2}, {2, 1}, {2, 4}, {4, 3}, {3, 3}, {6, 4}})
        for (const Kind kind : kKinds)
            for (const Environment& environment : environments()) {
                const MatrixXd a = random_matrix(m, n, kind, random);
                const auto spectrum = called_in(environment, [&] { return enclose_singular_values(a); });
                REQUIRE(spectrum);
                CHECK(spectrum->lower.size() == std::min(m, n));
                CHECK(are_singular_value_bounds(*spectrum, gram(a)));
                CHECK(width(*spectrum) <= 1e-12 * a.cwiseAbs().maxCoeff() + 1e-320);
            }
}

TEST_CASE("multiple eigenvalues, clusters, rank deficiency and zero are ordinary") {
    // A matrix with a triple defective eigenvalue; it is not symmetric, so that its singular values are asked
    // for.
    MatrixXd g(6, 6);
    g << 1, 2, 1, 1, 1, 1, 0, 1, 0, 1, 0, 1, 1, 1, 2, 0, 1, 0, 0, 1, 0, 2, 1, 1, 1, 1, 1, 0, 2, 0, 0, 1, 1, 1,
        0, 2;
    const auto singular = enclose_singular_values(g);
    REQUIRE(singular);
    CHECK(are_singular_value_bounds(*singular, gram(g)));

    Random random(3);
    for (Index n = 1; n <= 5; ++n) {
        // u uᵀ for an integer vector: n − 1 eigenvalues are exactly 0.
        const MatrixXd u = random_matrix(n, 1, Kind::integers, random);
        for (const MatrixXd& a : {MatrixXd(u * u.transpose()), MatrixXd(MatrixXd::Identity(n, n)),
                                  MatrixXd(MatrixXd::Zero(n, n)), MatrixXd(MatrixXd::Ones(n, n)),
                                  MatrixXd(MatrixXd::Identity(n, n) + 0x1p-45 * MatrixXd::Ones(n, n))}) {
            const auto spectrum = enclose_symmetric_spectrum(a);
            REQUIRE(spectrum);
            CHECK(are_eigenvalue_bounds(*spectrum, EigenvalueCounter(exact(a))));
            const auto values = enclose_singular_values(a);
            REQUIRE(values);
            CHECK(are_singular_value_bounds(*values, gram(a)));
        }
    }
    const auto zero = enclose_singular_values(MatrixXd::Zero(2, 2));
    REQUIRE(zero);
    CHECK(zero->lower[0] == 0);
    CHECK(zero->upper[0] < 1e-300);
    MatrixXd sparse = MatrixXd::Zero(2, 4);
    sparse(1, 0) = sparse(0, 3) = 1;
    const auto ones = enclose_singular_values(sparse);
    REQUIRE(ones);
    for (Index i = 0; i < 2; ++i) {
        CHECK(ones->lower[i] <= 1);
        CHECK(ones->upper[i] >= 1);
    }
    CHECK(width(*ones) < 1e-13);
}

TEST_CASE("scales from the subnormal numbers to the largest ones are ordinary") {
    Random random(4);
    for (const int e : {-1070, -1022, -600, 600, 1020})
        for (int trial = 0; trial < 10; ++trial) {
            const MatrixXd a = shifted(random_symmetric(3, Kind::uniform, random), e);
            const auto spectrum = enclose_symmetric_spectrum(a);
            REQUIRE(spectrum);
            CHECK(are_eigenvalue_bounds(*spectrum, EigenvalueCounter(exact(a))));
            const MatrixXd b = shifted(random_matrix(3, 2, Kind::uniform, random), e);
            const auto values = enclose_singular_values(b);
            REQUIRE(values);
            CHECK(are_singular_value_bounds(*values, gram(b)));
        }
    // Both ends at once: the scale of the large entries makes the small ones subnormal.
    MatrixXd both(2, 2);
    both << 1e308, 5e-324, 5e-324, 1e-300;
    const auto spectrum = enclose_symmetric_spectrum(both);
    REQUIRE(spectrum);
    CHECK(are_eigenvalue_bounds(*spectrum, EigenvalueCounter(exact(both))));
    const auto full =
        enclose_symmetric_spectrum(MatrixXd::Constant(2, 2, 1.7e308));  // eigenvalue above all doubles
    REQUIRE(full);
    CHECK(full->upper[1] == kInf);
    CHECK(full->lower[1] > 1.7e308);
}

TEST_CASE("spectra of balls hold for their members") {
    Random random(5);
    for (int trial = 0; trial < 60; ++trial) {
        const Index n = 1 + trial % 4;
        BallMatrix ball = point_matrix(random_symmetric(n, Kind::uniform, random));
        ball.radius.setConstant(std::ldexp(1.0, -static_cast<int>(random() % 50)));
        const auto spectrum = enclose_symmetric_spectrum(ball);
        REQUIRE(spectrum);
        const auto values = enclose_singular_values(ball);
        REQUIRE(values);
        for (int member = 0; member < 4; ++member) {
            const MatrixXd any = random_member(ball, random);
            CHECK(are_singular_value_bounds(*values, gram(any)));
            MatrixXd a = any;
            for (Index j = 0; j < n; ++j)
                for (Index i = 0; i < j; ++i) a(i, j) = a(j, i);
            CHECK(are_eigenvalue_bounds(*spectrum, EigenvalueCounter(exact(a))));
        }
    }
    BallMatrix unknown = point_matrix(MatrixXd::Identity(2, 2));
    unknown.midpoint(0, 0) = 0;
    unknown.radius(0, 0) = kInf;
    CHECK_FALSE(enclose_singular_values(unknown));
    CHECK_FALSE(enclose_symmetric_spectrum(unknown));
}

TEST_CASE("a wrong decomposition proves nothing false") {
    Random random(6);
    int wide = 0;
    for (int trial = 0; trial < 1500; ++trial) {
        const Index n = 1 + trial % 4;
        const MatrixXd a = random_symmetric(n, Kind::uniform, random);
        auto eigen = detail::estimate_eigenvectors(a);
        auto svd = detail::estimate_singular_vectors(a);
        REQUIRE(eigen);
        REQUIRE(svd);
        // One number of the decomposition is changed by anything between the last place and beyond
        // recognition.
        const double change =
            std::ldexp(random_double(Kind::uniform, random), 6 - static_cast<int>(random() % 55));
        const auto at = static_cast<Index>(random() % static_cast<std::uint64_t>(n * n));
        switch (random() % 5) {
            case 0:
                eigen->values[at % n] += change;
                svd->values[at % n] += std::abs(change);
                break;
            case 1:
                eigen->vectors.data()[at] += change;
                svd->left.data()[at] += change;
                break;
            case 2:
                svd->right.data()[at] += change;
                eigen->vectors *= 1 + change;
                break;
            case 3:
                eigen->vectors.setZero();
                svd->left.setZero();
                break;
            default:
                eigen->values.reverseInPlace();
                svd->values.reverseInPlace();
                break;
        }
        const auto spectrum = prove_symmetric_spectrum(a, eigen->vectors, eigen->values);
        if (spectrum) CHECK(are_eigenvalue_bounds(*spectrum, EigenvalueCounter(exact(a))));
        if (spectrum && width(*spectrum) > 1e-3) ++wide;
        const auto values = prove_singular_values(a, svd->left, svd->values, svd->right);
        if (values) CHECK(are_singular_value_bounds(*values, gram(a)));
    }
    CHECK(wide > 100);
    const MatrixXd one = MatrixXd::Identity(2, 2);
    MatrixXd nan = one;
    nan(1, 1) = std::numeric_limits<double>::quiet_NaN();
    CHECK_FALSE(prove_symmetric_spectrum(one, nan, VectorXd::Ones(2)));
    CHECK_FALSE(prove_singular_values(one, one, nan.col(1), one));
    CHECK_FALSE(prove_singular_values(one, one, -VectorXd::Ones(2), one));
}

TEST_CASE("empty matrices have empty spectra, and bad input is refused") {
    const auto none = enclose_symmetric_spectrum(MatrixXd(0, 0));
    REQUIRE(none);
    CHECK(none->lower.size() == 0);
    for (const auto& [m, n] : {std::pair<Index, Index>{0, 0}, {0, 3}, {3, 0}}) {
        const auto values = enclose_singular_values(MatrixXd(m, n));
        REQUIRE(values);
        CHECK(values->upper.size() == 0);
    }
    MatrixXd a = MatrixXd::Identity(3, 3);
    a(0, 2) = 5e-324;  // which a caller's denormals-are-zero must not hide
    const auto refused = called_in({FE_TONEAREST, true}, [&] {
        try {
            (void)enclose_symmetric_spectrum(a);
            return std::string("accepted");
        } catch (const Error& error) {
            return std::string(error.what());
        }
    });
    CHECK(refused.find("entries (0, 2) and (2, 0) differ") != std::string::npos);
    CHECK_THROWS_WITH_AS((void)enclose_symmetric_spectrum(MatrixXd(2, 3)), doctest::Contains("2×3"), Error);
    a(0, 2) = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_WITH_AS((void)enclose_singular_values(a),
                         doctest::Contains("entry (0, 2) of the matrix is NaN"), Error);
    CHECK_THROWS_AS((void)prove_singular_values(MatrixXd::Ones(2, 2), MatrixXd::Ones(3, 2), VectorXd::Ones(2),
                                                MatrixXd::Ones(2, 2)),
                    Error);
}
