// Audit certificates: made, read, proved again; and every change of what they state is seen.

#include "rankcert/audit/certificate.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "audit/oracle.hpp"
#include "rankcert/rigor/error.hpp"

using namespace rankcert;
using namespace rankcert::audit;
using namespace rankcert::tests;

namespace {

Tensor random_tensor(const std::string& name, const std::vector<std::uint64_t>& shape, unsigned seed) {
    std::mt19937_64 random(seed);
    Index size = 1;
    for (const std::uint64_t d : shape) size *= static_cast<Index>(d);
    const Eigen::MatrixXd values = Eigen::MatrixXd::NullaryExpr(1, size, [&] {
        return static_cast<double>(static_cast<float>(static_cast<double>(random() >> 11) * 0x1p-52 - 1));
    });
    Tensor tensor = from_matrix(name, values, DType::f32);
    tensor.shape = shape;
    return tensor;
}

/// Two heads of five tokens; the claimed outputs are random, so that everything about them is refuted.
struct Example {
    Declaration declaration;
    Tensors tensors;
    Example() {
        declaration.subject = Subject::output;
        declaration.scale = "1/sqrt(d)";
        declaration.causal = true;
        declaration.claims = {parse_claim("max-abs=10"), parse_claim("row-l1=1e-6"),
                              parse_claim("within=1e9")};
        unsigned seed = 1;
        for (const char* role : {"query", "key", "value", "claim"}) {
            const std::vector<std::uint64_t> shape = {2, 5, 3};
            tensors[role] = random_tensor(std::string("run.") + role, shape, seed++);
        }
    }
    [[nodiscard]] AuditCertificate certificate() const {
        return make_certificate(declaration, tensors, run_audit(declaration, tensors));
    }
};

AuditCertificate again(const AuditCertificate& certificate) {
    return parse_certificate(format_certificate(certificate), "test");
}

Decision decision(const AuditCertificate& certificate) {
    Decision all = Decision::proved;
    for (const HeadVerdict& verdict : check(again(certificate), true)) {
        if (verdict.decision == Decision::refuted || all == Decision::proved) all = verdict.decision;
        if (all == Decision::refuted) break;
    }
    return all;
}

}  // namespace

TEST_CASE("what an audit found is proved again, exactly and fast") {
    const Example example;
    const AuditCertificate certificate = again(example.certificate());
    CHECK(certificate.names.at("query") == "run.query");
    CHECK(certificate.heads.size() == 2);
    CHECK(certificate.heads[0].answers ==
          std::vector{Answer::proved, Answer::proved, Answer::refuted, Answer::proved});
    for (const bool exact : {true, false}) {
        for (const HeadVerdict& verdict : check(certificate, exact)) {
            CHECK(verdict.decision == Decision::proved);
            CHECK(verdict.answer == Answer::refuted);
        }
    }
    CHECK(format_certificate(certificate).size() > 0);
}

TEST_CASE("what a certificate states of errors is held against the errors found now") {
    const Example example;
    const AuditCertificate good = example.certificate();
    const Rational step = good.heads[0].max_abs.upper / 1000;
    for (StatedError StatedHead::*member :
         {&StatedHead::max_abs, &StatedHead::row_l1, &StatedHead::frobenius}) {
        for (const int side : {-1, 1}) {
            AuditCertificate bad = good;
            StatedError& error = bad.heads[1].*member;
            error.lower += side * step;
            error.upper += side * step;
            CHECK(decision(bad) == Decision::refuted);
            bad.heads[1].*member = good.heads[1].*member;
            (side < 0 ? (bad.heads[1].*member).lower : (bad.heads[1].*member).upper) += side * step;
            CHECK(decision(bad) == Decision::proved);  // wider
        }
        AuditCertificate bad = good;
        (bad.heads[0].*member).infinite = true;
        CHECK(decision(bad) == Decision::proved);  // no upper bound is stated
    }
}

TEST_CASE("every other change of a statement is refuted") {
    const Example example;
    const AuditCertificate good = example.certificate();
    for (std::size_t k = 0; k < good.heads[0].answers.size(); ++k) {
        for (const Answer answer : {Answer::proved, Answer::refuted, Answer::undefined}) {
            if (answer == good.heads[0].answers[k]) continue;
            AuditCertificate bad = good;
            bad.heads[0].answers[k] = answer;
            CHECK(decision(bad) == Decision::refuted);
        }
    }
    AuditCertificate bad = good;
    bad.heads[0].answer = Answer::proved;
    CHECK(decision(bad) == Decision::refuted);
    bad = good;
    bad.heads[1].undefined_rows = {2};
    bad.heads[1].answer = Answer::refuted;
    CHECK(decision(bad) == Decision::refuted);
    bad = good;
    bad.declaration.causal = false;
    CHECK(decision(bad) == Decision::refuted);
    bad = good;
    bad.declaration.scale = "1";
    CHECK(decision(bad) == Decision::refuted);
    bad = good;
    std::swap(bad.tensors.at("query").data, bad.tensors.at("key").data);
    CHECK(decision(bad) == Decision::refuted);
    bad = good;
    bad.heads.pop_back();
    CHECK_THROWS_AS((void)decision(bad), Error);
    bad = good;
    std::swap(bad.heads[0], bad.heads[1]);
    CHECK_THROWS_AS((void)decision(bad), Error);
    bad = good;
    bad.heads[0].answers.pop_back();
    CHECK_THROWS_AS((void)decision(bad), Error);
}

TEST_CASE("infinite errors and undefined rows survive") {
    Example example;
    Tensor& claim = example.tensors.at("claim");
    claim.data[3] = std::byte{0x7f};
    claim.data[2] = std::byte{0xc0};  // the first float is NaN
    Tensor& value = example.tensors.at("value");
    const std::size_t last = value.data.size();
    value.data[last - 1] = std::byte{0x7f};
    value.data[last - 2] =
        std::byte{0x80};  // the last value of the last token is infinite: the last query reads it
    const AuditCertificate certificate = example.certificate();
    CHECK(certificate.heads[0].max_abs.infinite);
    CHECK(certificate.heads[1].undefined_rows == std::vector<Index>{4});
    CHECK(decision(certificate) == Decision::proved);
    AuditCertificate bad = certificate;
    bad.heads[0].max_abs.infinite = false;
    bad.heads[0].max_abs.upper = 1000;
    CHECK(decision(bad) == Decision::refuted);
    bad = certificate;
    bad.heads[1].undefined_rows.clear();
    CHECK(decision(bad) == Decision::refuted);
}

TEST_CASE("bytes changed at random are refused, refuted or of no consequence; nothing false is proved") {
    const Example example;
    const std::vector<std::byte> good = format_certificate(example.certificate());
    std::mt19937_64 random(3);
    int refused = 0, refuted = 0, harmless = 0;
    for (int round = 0; round < 2000; ++round) {
        std::vector<std::byte> bytes = good;
        bytes[8 + random() % (bytes.size() - 8)] ^= static_cast<std::byte>(1U << (random() % 8));
        try {
            const AuditCertificate certificate = parse_certificate(bytes, "test");
            bool all = true;
            const auto verdicts = check(certificate, true);
            for (const HeadVerdict& verdict : verdicts) all = all && verdict.decision == Decision::proved;
            if (!all) {
                ++refuted;
                continue;
            }
            ++harmless;
            // What is proved then is true: an independent audit of the same tensors says so too.
            const AuditReport report = run_audit(certificate.declaration, certificate.tensors);
            for (std::size_t h = 0; h < report.heads.size(); ++h) {
                const StatedHead& stated = certificate.heads[h];
                CHECK(stated.answer == report.heads[h].answer());
                CHECK(!certainly_less(report.heads[h].audit.max_abs.value, stated.max_abs.lower));
                if (!stated.max_abs.infinite)
                    CHECK(!certainly_less(stated.max_abs.upper, report.heads[h].audit.max_abs.value));
            }
        } catch (const Error&) {
            ++refused;
        }
    }
    MESSAGE(refused << " refused, " << refuted << " not proved, " << harmless << " of no consequence");
    CHECK(refused > 1000);
}
