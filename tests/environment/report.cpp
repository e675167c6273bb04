#include "environment/report.hpp"

#include <algorithm>
#include <exception>
#include <span>
#include <sstream>
#include <variant>

#include "rankcert/io/file.hpp"

namespace rankcert::tests {
namespace {

std::string hexadecimal(const Integer& value) {
    const Integer size = value < 0 ? Integer(-value) : value;
    return (value < 0 ? "-0x" : "0x") + size.str(0, std::ios_base::hex);
}

std::string reach_text(const std::optional<Rational>& reach) {
    return " reach=" + (reach ? exact_digits(*reach) : std::string("none"));
}

class Writer {
  public:
    Writer(std::string file, Level level) : file_(std::move(file)), level_(level) {}

    Report write(const Bundle& bundle) {
        const auto checker = make_checker(bundle.subject, level_);
        line("rho " + (rho_ = rho(*checker)));
        std::vector<Proved<LowerMeasure>> lower;
        std::vector<Proved<UpperMeasure>> upper;
        for (const LowerWitness& witness : bundle.lower_witnesses) {
            const std::string label = "lower " + std::to_string(lower.size());
            lower.push_back(checker->measure(witness));
            line(label + ' ' + method_name(witness) + measure_text(label, *lower.back()) +
                 reach_text(checker->reach(lower.back())));
        }
        for (const UpperWitness& witness : bundle.upper_witnesses) {
            const std::string label = "upper " + std::to_string(upper.size());
            upper.push_back(checker->measure(witness));
            line(label + ' ' + method_name(witness) + measure_text(label, *upper.back()) +
                 reach_text(checker->reach(upper.back())));
        }
        const std::vector<ClaimVerdict> verdicts = check(bundle, level_);
        for (std::size_t i = 0; i < bundle.claims.size(); ++i) {
            const Claim& claim = bundle.claims[i];
            const std::string label = "claim " + std::to_string(i);
            if (claim.lower_witness >= 0) {
                side(*checker, label + " lower", "rank >= ",
                     checker->decide(lower.at(static_cast<std::size_t>(claim.lower_witness)), claim.epsilon));
            }
            if (claim.upper_witness >= 0) {
                side(*checker, label + " upper", "rank <= ",
                     checker->decide(upper.at(static_cast<std::size_t>(claim.upper_witness)), claim.epsilon));
            }
            if (claim.top_k) {
                const auto verdict = checker->prove_top_k_budget(claim.epsilon);
                std::string text = label + " top-k " + to_string(verdict.decision);
                if (verdict.proof) {
                    text += ' ' + std::to_string((*verdict.proof)->lower) + " to " +
                            std::to_string((*verdict.proof)->upper);
                }
                line(text);
            }
            whole(label, claim, verdicts.at(i));
        }
        line("reasons " + sha256(std::as_bytes(std::span(reasons_))));
        return std::move(report_);
    }

    Report failure(const std::string& what) {
        Report failed;
        failed.text = file_ + " threw: " + what + '\n';
        return failed;
    }

  private:
    void line(const std::string& text) { report_.text += file_ + ' ' + text + '\n'; }

    std::string rho(const Checker& checker) {
        const Rational value = checker.rho();
        report_.costs["rho"] = value;  // the last one stays: it is the tightest
        return exact_digits(value);
    }

    std::string cost(const std::string& label, const char* name, const Rational& value) {
        report_.costs[label + ' ' + name] = value;
        return std::string(" ") + name + '=' + exact_digits(value);
    }
    std::string gain(const std::string& label, const char* name, const Rational& value) {
        report_.gains[label + ' ' + name] = value;
        return std::string(" ") + name + '=' + exact_digits(value);
    }

    std::string measure_text(const std::string& label, const LowerMeasure& measure) {
        const std::string rank = " rank=" + std::to_string(measure.rank());
        if (const auto* c = std::get_if<LowerMeasure::Contraction>(&measure.form)) {
            return " contraction" + rank + cost(label, "residual", c->residual) +
                   cost(label, "gain", c->gain);
        }
        if (const auto* t = std::get_if<LowerMeasure::Tail>(&measure.form))
            return " tail" + rank + gain(label, "tail", t->tail);
        if (const auto* v = std::get_if<LowerMeasure::Value>(&measure.form))
            return " value" + rank + gain(label, "value", v->value);
        if (const auto* n = std::get_if<LowerMeasure::Norm>(&measure.form))
            return " norm" + rank + gain(label, "norm", n->norm);
        if (std::holds_alternative<LowerMeasure::AtZero>(measure.form)) return " at_zero" + rank;
        return " nothing: " + std::get<LowerMeasure::Nothing>(measure.form).reason;
    }
    std::string measure_text(const std::string& label, const UpperMeasure& measure) {
        const std::string rank = " rank=" + std::to_string(measure.rank());
        if (const auto* e = std::get_if<UpperMeasure::Error>(&measure.form))
            return " error" + rank + cost(label, "error", e->error);
        if (const auto* n = std::get_if<UpperMeasure::Norm>(&measure.form))
            return " norm" + rank + cost(label, "norm", n->norm);
        if (std::holds_alternative<UpperMeasure::Always>(measure.form)) return " always" + rank;
        return " nothing: " + std::get<UpperMeasure::Nothing>(measure.form).reason;
    }

    template <class Statement>
    void side(Checker& checker, const std::string& label, const char* relation,
              const Verdict<Statement>& verdict) {
        Row row{label, verdict.decision, 0};
        std::string text = label + ' ' + to_string(verdict.decision);
        if (verdict.proof) {
            row.rank = (*verdict.proof)->rank;
            text += ' ' + (relation + std::to_string(row.rank));
        }
        line(text);
        if (const std::string now = rho(checker); now != rho_) line("rho " + (rho_ = now));
        report_.rows.push_back(std::move(row));
    }

    void whole(const std::string& label, const Claim& claim, const ClaimVerdict& verdict) {
        std::string text = label + " epsilon=" + exact_digits(claim.epsilon);
        if (claim.lower_witness >= 0) text += " lower=" + std::to_string(claim.lower);
        if (claim.upper_witness >= 0) text += " upper=" + std::to_string(claim.upper);
        if (claim.top_k) {
            text +=
                " top_k=" + std::to_string(claim.top_k->lower) + ".." + std::to_string(claim.top_k->upper);
        }
        line(text + ' ' + to_string(verdict.decision));
        reasons_ += verdict.reason + '\n';
        report_.rows.push_back({label, verdict.decision, 0});
    }

    std::string file_;
    std::string rho_;  ///< as last written: refined where a decision asks for it
    std::string reasons_;
    Level level_;
    Report report_;
};

}  // namespace

Report report(const std::filesystem::path& certificate, Level level) {
    Writer writer(certificate.stem().stem().string(), level);
    try {
        return writer.write(read_bundle(certificate));
    } catch (const std::exception& error) {
        return writer.failure(error.what());
    }
}

std::vector<std::filesystem::path> certificates_in(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().filename().string().ends_with(".cert.safetensors")) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

std::vector<std::string> expected_of(const Bundle& bundle) {
    std::vector<std::string> words;
    const auto found = bundle.information.find("expected");
    std::istringstream text(found == bundle.information.end() ? std::string() : found->second);
    for (std::string word; text >> word;) words.push_back(word);
    return words;
}

std::string exact_digits(const Rational& value) {
    const Integer top(numerator(value));
    const Integer bottom(denominator(value));
    const auto exponent = mpz_scan1(bottom.backend().data(), 0);
    if (bottom != Integer(1) << static_cast<unsigned>(exponent))
        return hexadecimal(top) + '/' + hexadecimal(bottom);
    if (top == 0 || exponent > 0)
        return hexadecimal(top) + (exponent > 0 ? "p-" + std::to_string(exponent) : std::string());
    const auto zeros = mpz_scan1(top.backend().data(), 0);
    if (zeros < 64) return hexadecimal(top);
    return hexadecimal(Integer(top >> static_cast<unsigned>(zeros))) + "p" + std::to_string(zeros);
}

}  // namespace rankcert::tests
