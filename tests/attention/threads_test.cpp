#include <doctest/doctest.h>

#include <array>
#include <thread>

#include "attention/heads.hpp"

using namespace rankcert;
using namespace rankcert::tests;

TEST_CASE("eight threads at once get the numbers that one thread gets") {
    std::mt19937_64 random(61);
    std::vector<Head> heads;
    for (int i = 0; i < 8; ++i) heads.push_back(random_head(random));
    struct Result {
        SoftmaxEnclosure enclosure;
        std::optional<double> fast;
        Index rows = 0;
    };
    const auto compute = [](const Head& head) {
        Result result;
        result.enclosure = enclose_softmax(head);
        result.fast = upper_softmax_error_fast(head, result.enclosure.centre.to_double());
        result.rows = count_distinct_rows(head);
        return result;
    };
    std::array<Result, 8> together;
    {
        std::vector<std::jthread> threads;
        for (std::size_t i = 0; i < heads.size(); ++i) {
            threads.emplace_back([&, i] {
                for (int round = 0; round < 5; ++round) together[i] = compute(heads[i]);
            });
        }
    }
    for (std::size_t i = 0; i < heads.size(); ++i) {
        const Result alone = compute(heads[i]);
        CHECK(together[i].enclosure.centre == alone.enclosure.centre);
        CHECK(together[i].enclosure.error.lower == alone.enclosure.error.lower);
        CHECK(together[i].enclosure.error.upper == alone.enclosure.error.upper);
        CHECK(together[i].fast == alone.fast);
        CHECK(together[i].rows == alone.rows);
    }
}
