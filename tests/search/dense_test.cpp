#include "rankcert/search/dense.hpp"

#include <doctest/doctest.h>

#include <Eigen/LU>
#include <limits>
#include <thread>

#include "rankcert/search/work.hpp"

using namespace rankcert::search;

namespace {

Matrix sample(Eigen::Index m, Eigen::Index n) {
    Matrix a(m, n);
    for (Eigen::Index j = 0; j < n; ++j) {
        for (Eigen::Index i = 0; i < m; ++i)
            a(i, j) = std::sin(static_cast<double>(1 + 7 * i + 13 * j + i * j));
    }
    return a;
}

constexpr std::pair<Eigen::Index, Eigen::Index> kShapes[] = {{1, 1}, {3, 5},   {5, 3},
                                                             {8, 8}, {40, 17}, {17, 40}};

}  // namespace

TEST_CASE("products agree with Eigen's") {
    for (const auto& [m, n] : kShapes) {
        const Matrix a = sample(m, n), b = sample(n, m + 2), c = sample(m, 4), d = sample(m + 1, n);
        CHECK((multiply(a, b) - a * b).norm() <= 1e-13 * a.norm() * b.norm());
        CHECK((multiply_tn(a, c) - a.transpose() * c).norm() <= 1e-13 * a.norm() * c.norm());
        CHECK((multiply_nt(a, d) - a * d.transpose()).norm() <= 1e-13 * a.norm() * d.norm());
        Matrix sum = sample(m, m + 2);
        const Matrix expected = 2 * a * b - 3 * sum;
        gemm(2, a, Op::none, b, Op::none, -3, sum);
        CHECK((sum - expected).norm() <= 1e-12 * expected.norm());
    }
}

TEST_CASE("a product over nothing is zero, and empty shapes are ordinary") {
    CHECK(multiply(Matrix(3, 0), Matrix(0, 2)) == Matrix::Zero(3, 2));
    CHECK(multiply(Matrix(0, 3), Matrix(3, 2)).rows() == 0);
    Matrix c = Matrix::Ones(2, 2);
    gemm(1, Matrix(2, 0), Op::none, Matrix(0, 2), Op::none, 0.5, c);
    CHECK(c == Matrix::Constant(2, 2, 0.5));
    CHECK(svd(Matrix(0, 3))->values.size() == 0);
    CHECK(symmetric_eigen(Matrix(0, 0))->values.size() == 0);
    CHECK(inverse(Matrix(0, 0))->size() == 0);
    CHECK(estimate_norm(Matrix(0, 4)) == 0);
}

TEST_CASE("blocks of a matrix are read where they lie") {
    const Matrix a = sample(9, 9);
    const Matrix block = a.block(2, 3, 4, 5);
    CHECK(multiply(a.block(2, 3, 4, 5), a.block(1, 1, 5, 2)) == multiply(block, Matrix(a.block(1, 1, 5, 2))));
}

TEST_CASE("decompositions multiply back to the matrix") {
    for (const auto& [m, n] : kShapes) {
        const Matrix a = sample(m, n);
        const Eigen::Index k = std::min(m, n);
        const Matrix identity = Matrix::Identity(k, k);
        const auto parts = svd(a);
        REQUIRE(parts);
        CHECK((parts->u * parts->values.asDiagonal() * parts->v.transpose() - a).norm() <= 1e-12 * a.norm());
        CHECK((parts->u.transpose() * parts->u - identity).norm() <= 1e-12);
        CHECK((parts->v.transpose() * parts->v - identity).norm() <= 1e-12);
        CHECK((*singular_values(a) - parts->values).norm() <= 1e-12 * a.norm());
        for (Eigen::Index i = 0; i + 1 < k; ++i) CHECK(parts->values(i) >= parts->values(i + 1));
        const auto factors = qr(a);
        REQUIRE(factors);
        CHECK((factors->q * factors->r - a).norm() <= 1e-12 * a.norm());
        CHECK((factors->q.transpose() * factors->q - identity).norm() <= 1e-12);
        const Matrix h = a * a.transpose();
        const auto eigen = symmetric_eigen(h);
        REQUIRE(eigen);
        CHECK((eigen->vectors * eigen->values.asDiagonal() * eigen->vectors.transpose() - h).norm() <=
              1e-12 * h.norm());
        for (Eigen::Index i = 0; i + 1 < m; ++i) CHECK(eigen->values(i) <= eigen->values(i + 1));
    }
}

TEST_CASE("inverses and solutions satisfy their equations") {
    for (const Eigen::Index n : {1, 2, 5, 30}) {
        Matrix a = sample(n, n);
        a.diagonal().array() += 3;
        const Matrix identity = Matrix::Identity(n, n);
        CHECK((*inverse(a) * a - identity).norm() <= 1e-10);
        CHECK((a * *solve(a, sample(n, 3)) - sample(n, 3)).norm() <= 1e-10);
        const Matrix h = a * a.transpose();
        const auto g = inverse_positive_definite(h);
        REQUIRE(g);
        CHECK((*g * h - identity).norm() <= 1e-8);
        CHECK(*g == Matrix(g->transpose()));
    }
}

TEST_CASE("pivot columns begin with a basis of the range") {
    Matrix a = Matrix::Zero(3, 6);
    a.col(1) << 1e-3, 0, 0;
    a.col(2) << 0, 5, 0;
    a.col(3) << 0, 5, 1e-9;
    a.col(4) << 0, 0, 1;
    a.col(5) << 2, 0, 0;
    const auto order = pivot_columns(a);
    REQUIRE(order);
    REQUIRE(order->size() == 6);
    const std::vector<Eigen::Index> first(order->begin(), order->begin() + 3);
    Matrix basis(3, 3);
    for (Eigen::Index j = 0; j < 3; ++j) basis.col(j) = a.col(first[static_cast<std::size_t>(j)]);
    CHECK(std::abs(basis.determinant()) >= 9.9);
}

TEST_CASE("a singular or non-finite matrix has no inverse, and a non-finite one no decomposition") {
    CHECK(!inverse(Matrix::Zero(2, 2)));
    CHECK(!inverse_positive_definite(-Matrix::Identity(2, 2)));
    CHECK(!solve(Matrix::Zero(2, 2), Matrix::Identity(2, 2)));
    for (const double bad :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        Matrix a = Matrix::Identity(3, 3);
        a(1, 1) = bad;
        CHECK(!svd(a));
        CHECK(!singular_values(a));
        CHECK(!qr(a));
        CHECK(!pivot_columns(a));
        CHECK(!symmetric_eigen(a));
        CHECK(!inverse(a));
        CHECK(!inverse_positive_definite(a));
        CHECK(!solve(a, Matrix::Identity(3, 3)));
    }
}

TEST_CASE("results have the same bits on every thread") {
    const Matrix a = sample(150, 150);
    const Matrix product = multiply(a, a);
    const auto parts = svd(a);
    std::vector<std::thread> threads;
    std::vector<int> equal(4, 0);
    for (std::size_t t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            const auto mine = svd(a);
            equal[t] =
                multiply(a, a) == product && mine && mine->u == parts->u && mine->values == parts->values;
        });
    }
    for (auto& thread : threads) thread.join();
    for (const int same : equal) CHECK(same == 1);
}

TEST_CASE("work is charged by the size of what is done, the same each time") {
    const Matrix a = Matrix::Random(20, 20);
    const auto work_of = [](const auto& action) {
        const double before = rankcert::search::work_seconds();
        action();
        return rankcert::search::work_seconds() - before;
    };
    const double once = work_of([&] { (void)multiply(a, a); });
    CHECK(once > 0);
    CHECK(work_of([&] { (void)multiply(a, a); }) == doctest::Approx(once));
    CHECK(work_of([&] { (void)svd(a); }) > once);
    CHECK(work_of([&] { (void)multiply(Matrix::Random(40, 40), Matrix::Random(40, 40)); }) > once);
    double elsewhere = -1;
    std::thread([&] { elsewhere = rankcert::search::work_seconds(); }).join();
    CHECK(elsewhere == 0);
}

TEST_CASE("a matrix times a vector is what the product says, transposed or not") {
    const Matrix a = Matrix::Random(5, 3);
    const Vector x = Vector::Random(3), y = Vector::Random(5);
    Vector out = y;
    rankcert::search::gemv(2, a, Op::none, x, -1, out);
    CHECK((out - (2 * a * x - y)).norm() <= 1e-14);
    Vector turned = x;
    rankcert::search::gemv(1, a, Op::transpose, y, .5, turned);
    CHECK((turned - (a.transpose() * y + .5 * x)).norm() <= 1e-14);
    Vector nothing(0), kept = y;
    rankcert::search::gemv(1, Matrix(5, 0), Op::none, nothing, 3, kept);
    CHECK((kept - 3 * y).norm() <= 1e-14);
}
