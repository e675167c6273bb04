#include <doctest/doctest.h>

#include "attention/heads.hpp"

using namespace rankcert;
using namespace rankcert::tests;

namespace {

/// Bounds of every head of a file, and agreement with what the model computed in float32.
void check_file(const std::string& file, double largest_difference) {
    const auto heads = real_heads(file);
    CHECK(heads.size() == 16);
    for (const RealHead& real : heads) {
        CAPTURE(real.name);
        const auto enclosure = enclose_softmax(real.head);
        CHECK(enclosure.error.upper <= parse_rational("1e-13"));
        CHECK(enclosure.error.lower > 0);
        const ErrorBounds again = enclose_softmax_error(real.head, enclosure.centre, 192);
        CHECK(again.lower <= enclosure.error.upper);
        CHECK(again.upper >= enclosure.error.lower);
        const Eigen::MatrixXd centre = enclosure.centre.to_double();
        CHECK((centre - real.attention).cwiseAbs().maxCoeff() <= largest_difference);
        const auto fast = upper_softmax_error_fast(real.head, centre);
        REQUIRE(fast);
        CHECK(*fast <= 1e-12);
        CHECK(to_rational(*fast) >= enclosure.error.upper);
    }
    const auto fine = enclose_softmax(heads.front().head, 300);
    CHECK(fine.error.upper <= to_rational(Integer(1), -250));
}

}  // namespace

// The largest differences are those that the files' authors published (tests/data/heads/README.md).
TEST_CASE("a real causal head is enclosed within 1e-13 and is what the model computed") {
    check_file("bytegpt-n64-a.safetensors", 7.7e-7);
}

TEST_CASE("a real bidirectional head is enclosed within 1e-13 and is what the model computed") {
    check_file("ppocrv4rec-n64-a.safetensors", 1.8e-6);
}
