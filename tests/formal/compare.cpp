/// \file compare.cpp  The exact and the fast checker of this library on texts of proofs/coq/formal/format.md.
///
/// formal_compare <CASES: reads any number of such texts, one after the other, and answers each claim with a
/// line `L U l u`: the best bounds that the exact checker's measures and decisions prove with the ρ of the
/// text, and those of the fast checker (which here proves nothing of a matrix that is not made of doubles).
/// proofs/coq/formal/test.py compares them with what rankcert-formal and an evaluation of its own make of the
/// same texts. Denominators must be powers of two, but for that of a left factor. A text that is not in the
/// form ends the program: the texts come from tests.

#include <algorithm>
#include <charconv>
#include <iostream>
#include <sstream>
#include <stdexcept>

#include "certificate/decide.hpp"
#include "certificate/exact_measure.hpp"
#include "certificate/fast_measure.hpp"
#include "rankcert/rigor/floating_point_guard.hpp"

namespace {

using namespace rankcert;

[[noreturn]] void refuse(const std::string& what) { throw std::runtime_error("formal_compare: " + what); }

std::istringstream next_line(const char* name) {
    std::string line;
    std::string word;
    if (!std::getline(std::cin, line)) refuse("the input ends too early");
    std::istringstream words(line);
    if (name != nullptr && (!(words >> word) || word != name)) refuse(std::string("no line ") + name);
    return words;
}

template <class Number>
Number next(std::istringstream& words) {
    Number value{};
    if (!(words >> value)) refuse("a number is missing");
    return value;
}

Integer next_integer(std::istringstream& words) {
    const std::string word = next<std::string>(words);
    const bool negative = word.starts_with('-');
    const Integer size("0x" + word.substr(negative ? 1 : 0));
    return negative ? Integer(-size) : size;
}

Rational next_rational(std::istringstream& words) {
    const Integer top = next_integer(words);
    return Rational(top, next_integer(words));
}

/// A matrix and what is left of its denominator beside a power of two.
struct Scaled {
    ExactMatrix matrix;
    Integer divisor;
};

Scaled read_scaled(const char* name) {
    std::istringstream head = next_line(name);
    const auto rows = next<Index>(head);
    const auto cols = next<Index>(head);
    const Integer denominator = next_integer(head);
    const auto zeros = mpz_scan1(denominator.backend().data(), 0);
    std::vector<Integer> entries;
    for (Index i = 0; i < rows; ++i) {
        std::istringstream line = next_line(nullptr);
        for (Index j = 0; j < cols; ++j) entries.push_back(next_integer(line));
    }
    return {ExactMatrix::from_integers(rows, cols, std::move(entries), -static_cast<long>(zeros)),
            Integer(denominator >> static_cast<unsigned>(zeros))};
}

ExactMatrix read_matrix(const char* name) {
    Scaled read = read_scaled(name);
    if (read.divisor != 1) refuse("a denominator is no power of two");
    return std::move(read.matrix);
}

std::vector<Index> read_indices(const char* name) {
    std::istringstream words = next_line(name);
    std::vector<Index> indices;
    for (Index index = 0; words >> index;) indices.push_back(index);
    return indices;
}

/// A head of which nothing is used but its mask: ρ comes from the text.
Head head_with(const std::string& kind, Index rows, Index cols) {
    Head head;
    head.query = ExactMatrix(rows, 1);
    head.key = ExactMatrix(cols, 1);
    if (kind == "full") return head;
    if (kind == "top_left" || kind == "bottom_right") {
        head.mask.kind = MaskKind::causal;
        head.mask.alignment = kind == "top_left" ? CausalAlignment::top_left : CausalAlignment::bottom_right;
        return head;
    }
    head.mask.kind = MaskKind::boolean;
    head.mask.keep = BoolMatrix(rows, cols);
    for (Index i = 0; i < rows; ++i) {
        std::istringstream words = next_line(nullptr);
        const auto line = next<std::string>(words);
        for (Index j = 0; j < cols; ++j) head.mask.keep(i, j) = line.at(static_cast<std::size_t>(j)) == '1';
    }
    return head;
}

/// What both checkers make of one text, in the order: measures, then claims.
struct Case {
    Subject subject;
    std::optional<detail::FastCentre> centre;  ///< where Ã is made of doubles
    Rational rho;
    std::vector<LowerMeasure> exact_lower, fast_lower;
    std::vector<UpperMeasure> exact_upper, fast_upper;

    template <class Witness>
    void add_lower(const Witness& witness) {
        exact_lower.push_back(detail::measure_exactly(witness, subject));
        if (centre) fast_lower.push_back(detail::measure_fast(witness, *centre));
    }
    template <class Witness>
    void add_upper(const Witness& witness) {
        exact_upper.push_back(detail::measure_exactly(witness, subject));
        if (centre) fast_upper.push_back(detail::measure_fast(witness, *centre));
    }
    void add_rule(LowerRule rule) {
        exact_lower.push_back(detail::measure_rule(rule, subject));
        fast_lower.push_back(exact_lower.back());
    }
    void add_rule(UpperRule rule) {
        exact_upper.push_back(detail::measure_rule(rule, subject));
        fast_upper.push_back(exact_upper.back());
    }

    void add(const std::string& kind, std::istringstream& words) {
        if (kind == "fixed_space") {
            FixedSpaceWitness w;
            w.pivots = read_indices("pivots");
            w.basis = read_matrix("basis");
            w.inverse = read_matrix("inverse");
            add_lower(w);
        } else if (kind == "neumann") {
            NeumannWitness w;
            w.selection = read_matrix("selection");
            w.decoder = read_matrix("decoder");
            w.inverse = read_matrix("inverse");
            add_lower(w);
        } else if (kind == "eckart_young") {
            EckartYoungWitness w;
            w.side = next<std::string>(words) == "rows" ? GramSide::rows : GramSide::columns;
            w.rank = next<Index>(words);
            w.row_weights = read_matrix("row_weights").transpose();
            w.grouping = read_matrix("grouping");
            w.threshold = read_matrix("threshold");
            w.large_factor = read_matrix("large_factor");
            w.small_factor = read_matrix("small_factor");
            add_lower(w);
        } else if (kind == "factors") {
            FactorWitness w;
            Scaled left = read_scaled("left");
            w.left = std::move(left.matrix);
            w.denominator = left.divisor;
            w.right = read_matrix("right");
            add_upper(w);
        } else if (kind == "representative_rows") {
            add_upper(RepresentativeRowsWitness{read_indices("representatives")});
        } else if (kind == "nonzero") {
            add_rule(LowerRule::nonzero);
        } else if (kind == "support") {
            add_rule(LowerRule::support);
        } else if (kind == "zero") {
            add_rule(UpperRule::zero);
        } else if (kind == "shape") {
            add_rule(UpperRule::shape);
        } else if (kind == "distinct_rows") {
            // Of a head the two levels count different rows (lib/docs/theorems.md).
            if (!subject.head) add_rule(UpperRule::distinct_rows);
        } else {
            refuse("there is no witness " + kind);
        }
    }

    template <class Measure>
    static bool proves(const Measure& measure, const ErrorBounds& bounds, const Rational& epsilon) {
        return detail::decide(measure, bounds, epsilon).decision == Decision::proved;
    }

    std::string bracket(const std::vector<LowerMeasure>& lower, const std::vector<UpperMeasure>& upper,
                        const ErrorBounds& bounds, const Rational& epsilon) const {
        Index l = 0;
        Index u = std::min(subject.rows(), subject.cols());
        for (const LowerMeasure& measure : lower) {
            if (proves(measure, bounds, epsilon)) l = std::max(l, measure.rank());
        }
        for (const UpperMeasure& measure : upper) {
            if (proves(measure, bounds, epsilon)) u = std::min(u, measure.rank());
        }
        return std::to_string(l) + ' ' + std::to_string(u);
    }
};

void answer() {
    std::istringstream hash = next_line("sha256");
    Case one;
    one.subject.centre = read_matrix("matrix");
    if (one.subject.centre.is_double()) one.centre = detail::FastCentre{one.subject.centre.to_double(), 0};
    std::istringstream rho = next_line("rho");
    one.rho = next_rational(rho);
    std::istringstream subject = next_line("subject");
    if (next<std::string>(subject) == "softmax")
        one.subject.head = head_with(next<std::string>(subject), one.subject.rows(), one.subject.cols());
    std::vector<Rational> epsilons;
    for (;;) {
        std::istringstream words = next_line(nullptr);
        const auto word = next<std::string>(words);
        if (word == "end") break;
        if (word == "witness") {
            const auto kind = next<std::string>(words);
            one.add(kind, words);
        } else if (word == "claim") {
            epsilons.push_back(next_rational(words));
        } else {
            refuse("there is no " + word);
        }
    }
    for (const Rational& epsilon : epsilons) {
        std::cout << one.bracket(one.exact_lower, one.exact_upper, {one.rho, one.rho}, epsilon) << ' '
                  << one.bracket(one.fast_lower, one.fast_upper, {0, one.rho}, epsilon) << '\n';
    }
}

}  // namespace

int main() {
    try {
        const FloatingPointGuard guard;
        for (std::string line; std::getline(std::cin, line);) {
            if (line != "rankcert-formal 1") refuse("no text begins with: " + line);
            answer();
        }
        return std::cout.flush() ? 0 : 1;
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
