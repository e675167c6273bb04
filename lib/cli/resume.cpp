#include "resume.hpp"

#include <algorithm>

#include "rankcert/attention/mask.hpp"
#include "rankcert/rigor/error.hpp"

namespace rankcert::cli {

namespace {

bool same_scale(const Scale& a, const Scale& b) { return a.factor == b.factor && a.sqrt_of == b.sqrt_of; }

/// Whether two subjects say the same, whatever their centres.
bool same_subject(const Subject& subject, const Task& task) {
    if (subject.head.has_value() != task.head.has_value()) return false;
    if (!task.head) return subject.centre == task.matrix;
    const Head& a = *subject.head;
    const Head& b = *task.head;
    return a.query == b.query && a.key == b.key && same_scale(a.scale, b.scale) &&
           a.multiplier_low == b.multiplier_low && a.multiplier_high == b.multiplier_high &&
           is_same_mask(a.mask, b.mask, a.queries() == a.keys()) && a.rounded_from == b.rounded_from;
}

}  // namespace

Earlier look_at(const std::filesystem::path& certificate, const Task& task) {
    Earlier earlier;
    std::error_code ignored;
    if (!std::filesystem::exists(std::filesystem::symlink_status(certificate, ignored))) return earlier;
    try {
        earlier.bundle = read_bundle(certificate);
    } catch (const Error&) {
        earlier.state = Earlier::State::damaged;
        return earlier;
    }
    // The file that the certificate names counts as well as the numbers: --input compares it.
    if (!same_subject(earlier.bundle->subject, task) ||
        earlier.bundle->input.file_sha256 != task.input.file_sha256 ||
        earlier.bundle->input.role_file_sha256 != task.input.role_file_sha256 ||
        earlier.bundle->input.head != task.input.head) {
        earlier.state = Earlier::State::other;
        return earlier;
    }
    earlier.records = search_records(*earlier.bundle);
    earlier.state = Earlier::State::same;
    return earlier;
}

bool suffices(const SearchRecords& records, const Rational& epsilon, const Request& request) {
    const auto found = records.find(to_string(epsilon));
    if (found == records.end()) return false;
    const SearchRecord& record = found->second;
    return record.seed == request.seed && record.effort_seconds >= request.effort_seconds &&
           (record.top_k || !request.top_k);
}

std::vector<Cell> recheck(const Bundle& bundle, const SearchRecords& records) {
    std::vector<ClaimVerdict> verdicts = check(bundle, Level::fast);
    const bool all_proved = std::all_of(verdicts.begin(), verdicts.end(),
                                        [](const ClaimVerdict& v) { return v.decision == Decision::proved; });
    // The fast checker does not see everything: a centre finer than float64, or a margin too thin for it.
    if (!all_proved) verdicts = check(bundle, Level::exact);
    // The ρ that the first run told: the fast checker's bound is less tight.
    const Rational rho =
        bundle.subject.head ? make_checker(bundle.subject, Level::exact)->rho() : Rational(0);
    std::vector<Cell> cells;
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
        const Claim& claim = bundle.claims[i];
        const ClaimVerdict& verdict = verdicts[i];
        if (verdict.decision != Decision::proved || !verdict.upper) continue;
        if (!verdict.lower && claim.lower > 0) continue;
        Cell cell;
        cell.epsilon = claim.epsilon;
        cell.epsilon_text = to_string(claim.epsilon);
        cell.lower = verdict.lower ? (*verdict.lower)->rank : 0;
        cell.upper = (*verdict.upper)->rank;
        cell.lower_method =
            verdict.lower ? method_name(bundle.lower_witnesses[static_cast<std::size_t>(claim.lower_witness)])
                          : "none";
        cell.upper_method =
            method_name(bundle.upper_witnesses[static_cast<std::size_t>(claim.upper_witness)]);
        if (verdict.top_k) cell.top_k = **verdict.top_k;
        const auto record = records.find(cell.epsilon_text);
        if (record != records.end()) cell.seconds = record->second.seconds;
        cell.rho = rho;
        cells.push_back(std::move(cell));
    }
    return cells;
}

void merge_claims(Bundle& addition, const Bundle& earlier) {
    // Witnesses are moved over only where a kept claim uses them.
    std::vector<int> lower_at(earlier.lower_witnesses.size(), -1);
    std::vector<int> upper_at(earlier.upper_witnesses.size(), -1);
    const auto carry = [](int index, std::vector<int>& places, const auto& from, auto& to) {
        if (index < 0) return -1;
        int& place = places[static_cast<std::size_t>(index)];
        if (place < 0) {
            place = static_cast<int>(to.size());
            to.push_back(from[static_cast<std::size_t>(index)]);
        }
        return place;
    };
    for (Claim claim : earlier.claims) {
        const bool superseded =
            std::any_of(addition.claims.begin(), addition.claims.end(),
                        [&](const Claim& other) { return other.epsilon == claim.epsilon; });
        if (superseded) continue;
        claim.lower_witness =
            carry(claim.lower_witness, lower_at, earlier.lower_witnesses, addition.lower_witnesses);
        claim.upper_witness =
            carry(claim.upper_witness, upper_at, earlier.upper_witnesses, addition.upper_witnesses);
        addition.claims.push_back(std::move(claim));
    }
}

}  // namespace rankcert::cli
