// Each known fault, put into a result, is named.

#include "rankcert/diagnosis/diagnosis.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <random>

using namespace rankcert;
using namespace rankcert::audit;
using diagnosis::diagnose;
using diagnosis::Finding;

namespace {

using Shape = std::vector<std::uint64_t>;

Tensor tensor(const std::string& name, const Shape& shape, const std::function<double(std::uint64_t)>& at,
              DType dtype = DType::f32) {
    std::uint64_t size = 1;
    for (const std::uint64_t d : shape) size *= d;
    Eigen::MatrixXd row(1, static_cast<Index>(size));
    for (std::uint64_t k = 0; k < size; ++k) {
        const double x = at(k);
        row(0, static_cast<Index>(k)) =
            dtype == DType::f32 && std::isfinite(x) ? static_cast<double>(static_cast<float>(x)) : x;
    }
    bool finite = row.allFinite();
    Tensor t = finite ? from_matrix(name, row, dtype) : Tensor{};
    if (!finite) {  // from_matrix takes numbers only
        t.name = name;
        t.dtype = DType::f32;
        for (std::uint64_t k = 0; k < size; ++k) {
            const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(row(0, static_cast<Index>(k))));
            for (int b = 0; b < 4; ++b) t.data.push_back(static_cast<std::byte>((bits >> (8 * b)) & 0xff));
        }
    }
    t.shape = shape;
    return t;
}

double noise(std::uint64_t seed, std::uint64_t k) {
    std::mt19937_64 random(1000003 * seed + k);
    return static_cast<double>(random() >> 11) * 0x1p-52 - 1;
}

/// Plain attention, by the declared operator but for what `logit` makes of scaled products.
struct Faulty {
    std::uint64_t m = 6, n = 6, d = 4;
    std::function<double(std::uint64_t i, std::uint64_t j, double product)> logit = [](auto, auto, double x) {
        return x / 2;
    };
    double extra = 0;  ///< added to the denominator, times e^0
    [[nodiscard]] double q(std::uint64_t i, std::uint64_t c) const {
        return static_cast<float>(2 * noise(1, i * d + c));
    }
    [[nodiscard]] double k(std::uint64_t j, std::uint64_t c) const {
        return static_cast<float>(2 * noise(2, j * d + c));
    }
    [[nodiscard]] Tensors tensors() const {
        Tensors t;
        t["query"] = tensor("q", {m, d}, [&](std::uint64_t x) { return q(x / d, x % d); });
        t["key"] = tensor("k", {n, d}, [&](std::uint64_t x) { return k(x / d, x % d); });
        std::vector<double> a;
        for (std::uint64_t i = 0; i < m; ++i) {
            double sum = extra;
            for (std::uint64_t j = 0; j < n; ++j) {
                double product = 0;
                for (std::uint64_t c = 0; c < d; ++c) product += q(i, c) * k(j, c);
                a.push_back(std::exp(logit(i, j, product)));
                sum += a.back();
            }
            for (std::uint64_t j = 0; j < n; ++j) a[i * n + j] /= sum;
        }
        t["claim"] = tensor("a", {m, n}, [&](std::uint64_t x) { return a[x]; });
        return t;
    }
};

Declaration declared() {
    Declaration d;
    d.scale = "1/sqrt(d)";
    return d;
}

/// The nearest variant of the only head, or "".
std::string first(const Declaration& declaration, const Tensors& tensors, Index head = 0) {
    const auto findings = diagnose(declaration, tensors, 0, head);
    return findings.empty() ? "" : findings.front().variant;
}

}  // namespace

TEST_CASE("a right result, and one that nothing explains, get no diagnosis") {
    Faulty f;
    CHECK(first(declared(), f.tensors()) == "");
    f.logit = [](auto i, auto j, double x) { return x / 2 + noise(9, 7 * i + j); };
    CHECK(first(declared(), f.tensors()) == "");
}

TEST_CASE("scales") {
    Faulty f;
    f.logit = [](auto, auto, double x) { return x; };
    CHECK(first(declared(), f.tensors()).starts_with("the scale missing"));
    f.logit = [](auto, auto, double x) { return x / 4; };
    CHECK(first(declared(), f.tensors()).starts_with("the scale too small by sqrt(d)"));
    Declaration d = declared();
    d.scale = "1/4";
    f.logit = [](auto, auto, double x) { return x / 2; };
    CHECK(first(d, f.tensors()).starts_with("the scale too large by sqrt(d)"));
}

TEST_CASE("causal masks") {
    Faulty f;
    Declaration d = declared();
    d.causal = true;
    CHECK(first(d, f.tensors()) == "the causal mask dropped");
    f.logit = [](auto i, auto j, double x) { return j > i ? -INFINITY : x / 2; };
    CHECK(first(declared(), f.tensors()).starts_with("a causal mask"));
    f.m = 4;  // top-left
    d.alignment = CausalAlignment::bottom_right;
    CHECK(first(d, f.tensors()) == "positions aligned top-left");
    f.logit = [](auto i, auto j, double x) { return j > i + 2 ? -INFINITY : x / 2; };
    d.alignment = CausalAlignment::top_left;
    CHECK(first(d, f.tensors()) == "positions aligned bottom-right");
}

TEST_CASE("the two readings of a mask") {
    Faulty f;
    const auto ones = [](std::uint64_t k) { return k % 3 == 1 ? 0. : 1.; };
    Declaration d = declared();
    f.logit = [&](auto i, auto j, double x) { return x / 2 + ones(6 * i + j); };
    Tensors t = f.tensors();
    t["mask"] = tensor("m", {6, 6}, ones);
    d.mask = MaskReading::boolean;
    CHECK(first(d, t) == "the boolean mask added to the logits as ones and zeros");
    f.logit = [&](auto i, auto j, double x) { return ones(6 * i + j) == 0 ? -INFINITY : x / 2; };
    t["claim"] = f.tensors()["claim"];
    d.mask = MaskReading::additive;
    CHECK(first(d, t) == "the additive mask read as boolean, 0 hides");
    f.logit = [&](auto i, auto j, double x) { return ones(6 * i + j) != 0 ? -INFINITY : x / 2; };
    t["claim"] = f.tensors()["claim"];
    d.mask = MaskReading::boolean;
    CHECK(first(d, t) == "the boolean mask read the other way round");
}

TEST_CASE("softcap, ALiBi, sinks, a transposed key") {
    Faulty f;
    Declaration d = declared();
    d.softcap = 1;
    CHECK(first(d, f.tensors()) == "the softcap missing");
    d.causal = true;
    f.logit = [](auto i, auto j, double x) { return j > i ? -1 : std::tanh(x / 2); };
    CHECK(first(d, f.tensors()) == "the softcap applied after the mask");

    d = declared();
    d.alibi = true;
    f.logit = [](auto i, auto j, double x) {
        return x / 2 + .5 * std::fabs(static_cast<double>(i) - static_cast<double>(j));
    };
    Tensors t = f.tensors();
    t["alibi"] = tensor("s", {1}, [](auto) { return .5; });
    CHECK(first(d, t) == "ALiBi with the other sign");

    Faulty one;
    one.extra = 1;
    CHECK(first(declared(), one.tensors()) == "softmax plus one");
    d = declared();
    d.sink = SinkKind::one;
    CHECK(first(d, Faulty{}.tensors()) == "the sink missing");

    Faulty square;
    square.d = 6;
    square.logit = [](auto, auto, double x) { return x / std::sqrt(6.); };
    t = square.tensors();
    t["key"] = tensor("k", {6, 6}, [&](std::uint64_t x) { return square.k(x % 6, x / 6); });
    CHECK(first(declared(), t) == "K transposed");
}

TEST_CASE("tiled key heads") {
    Tensors t;
    t["query"] = tensor("q", {4, 1, 1}, [](auto) { return 0.; });
    t["key"] = tensor("k", {2, 1, 1}, [](auto) { return 0.; });
    t["value"] = tensor("v", {2, 1, 1}, [](std::uint64_t k) { return static_cast<double>(k); });
    t["claim"] = tensor("o", {4, 1, 1}, [](std::uint64_t k) { return static_cast<double>(k % 2); });
    Declaration d = declared();
    d.subject = Subject::output;
    CHECK(first(d, t, 0) == "");
    CHECK(first(d, t, 1).starts_with("key heads tiled"));
    CHECK(first(d, t, 2).starts_with("key heads tiled"));
}

TEST_CASE("arithmetic in the claim's format") {
    Tensors t;
    Declaration d = declared();
    t["query"] = tensor("q", {1, 1}, [](auto) { return 1.; });
    t["key"] = tensor("k", {2, 1}, [](std::uint64_t j) { return 1000. + static_cast<double>(j); });
    t["claim"] = tensor("a", {1, 2}, [](auto) { return NAN; });
    CHECK(first(d, t).starts_with("no maximum subtracted"));

    t["key"] = tensor("k", {4096, 1}, [](auto) { return 0.; });
    t["claim"] = tensor(
        "a", {1, 4096}, [](auto) { return 1. / 2048; }, DType::f16);
    CHECK(first(d, t).find("sum") != std::string::npos);

    t["key"] = tensor("k", {64, 1}, [](auto) { return 0.; });
    t["value"] = tensor("v", {64, 1}, [](auto) { return 2000.; });
    t["claim"] = from_matrix("o", Eigen::MatrixXd::Zero(1, 1), DType::f16);
    t["claim"].data = {std::byte{0x00}, std::byte{0x7c}};  // infinity
    d.subject = Subject::output;
    CHECK(first(d, t).starts_with("outputs summed before the division"));
}
