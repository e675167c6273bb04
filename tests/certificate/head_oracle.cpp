#include "certificate/head_oracle.hpp"

#include <set>

namespace rankcert::test {
namespace {

// Numbers on the grid 2^−kWork, as integers; results lose less than 40 bits.
constexpr unsigned kWork = kOracleBits + 40;
const Integer kOne = Integer(1) << kWork;

Integer floor_of(const Rational& x) {
    Integer q = numerator(x) / denominator(x);
    return Rational(q) > x ? Integer(q - 1) : q;
}

Integer shifted(const Integer& x, unsigned bits, bool up) {  // x ≥ 0
    Integer q = x >> bits;
    return up && (q << bits) != x ? Integer(q + 1) : q;
}

Integer divided(const Integer& x, const Integer& y, bool up) {  // x ≥ 0, y > 0
    return up ? Integer((x + y - 1) / y) : Integer(x / y);
}

Rational on_work_grid(const Integer& x) { return Rational(x) * two_to(-static_cast<long>(kWork)); }

/// A bound of e^−x, x ≥ 0, on the grid: e^−x = (e^−y)^(2^s) with y = x 2^−s < 2^−16, and the series of e^−y
/// alternates with terms that fall, so it lies between any two successive partial sums.
Integer decay(const Rational& x, bool up) {
    if (x == 0) return kOne;
    if (x > kWork) return up ? Integer(1) : Integer(0);
    const Rational scaled = x * Rational(kOne);
    Integer y = floor_of(scaled);
    if (!up && Rational(y) != scaled) ++y;  // a larger argument gives a smaller power
    const unsigned length = y == 0 ? 0 : static_cast<unsigned>(msb(y)) + 1;
    const unsigned squarings = length + 16 > kWork ? length + 16 - kWork : 0;
    y = shifted(y, squarings, !up);
    if (y >= (kOne >> 15)) throw std::logic_error("the oracle's argument is not reduced");
    Integer low = kOne, high = kOne, sum = kOne;
    for (unsigned k = 1; k <= (up ? 16U : 15U); ++k) {
        low = divided(low * y, kOne * k, false);
        high = divided(high * y, kOne * k, true);
        if (k % 2 == 1)
            sum -= up ? low : high;
        else
            sum += up ? high : low;
    }
    for (unsigned k = 0; k < squarings; ++k) sum = shifted(sum * sum, kWork, up);
    return sum;
}

/// A bound of e^x for any x; nothing for an upper bound beyond all sense.
std::optional<Integer> power(const Rational& x, bool up) {
    if (x <= 0) return decay(-x, up);
    const Integer inverse = decay(x, !up);
    if (inverse == 0) return std::nullopt;
    return divided(kOne * kOne, inverse, up);
}

Bounds times(const Bounds& c, const Rational& x) {
    return x >= 0 ? Bounds{c.low * x, c.high * x} : Bounds{c.high * x, c.low * x};
}

Rational magnitude(const Rational& x) { return x < 0 ? Rational(-x) : x; }

/// Bounds of β · factor / √sqrt_of for β in [low, high], good to 2^−bits of their size.
Bounds enclose_scale(const Scale& scale, const Rational& low, const Rational& high, unsigned bits) {
    const Integer radicand(scale.sqrt_of);
    const Integer root = sqrt(radicand);
    Bounds inverse;  // of √sqrt_of
    if (root * root == radicand) {
        inverse = {1 / Rational(root), 1 / Rational(root)};
    } else {
        const Integer fine = sqrt(Integer(radicand << (2 * bits)));
        inverse = {Rational(Integer(1) << bits) / Rational(fine + 1),
                   Rational(Integer(1) << bits) / Rational(fine)};
    }
    const Bounds one = times(inverse, scale.factor);
    const Bounds a = times(one, low), b = times(one, high);
    return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

/// Every x′ that rounds to x is within this of x, and every x′ beyond x (away from zero) by less rounds to x.
Rational rounding_radius(const Rational& x, NumberFormat format) {
    long digits = 53, least = -1074;  // bits of a number, exponent of the least one
    if (format == NumberFormat::float32) digits = 24, least = -149;
    if (format == NumberFormat::bfloat16) digits = 8, least = -133;
    if (format == NumberFormat::float16) digits = 11, least = -24;
    if (x == 0) return two_to(least - 1);
    // 2^exponent is the spacing, the least with |x| < 2^(exponent + digits). |x| > 2^(below − 1) at the
    // start.
    const long below = static_cast<long>(msb(abs(numerator(x)))) - static_cast<long>(msb(denominator(x)));
    long exponent = std::max(least, below - 1 - digits);
    while (magnitude(x) >= two_to(exponent + digits)) ++exponent;
    return two_to(exponent - 1);
}

Shaped radii(const Shaped& a, const std::optional<NumberFormat>& format) {
    Shaped result = zeros(a.rows, a.cols);
    if (!format) return result;
    for (std::size_t i = 0; i < a.rows; ++i)
        for (std::size_t j = 0; j < a.cols; ++j) result.at[i][j] = rounding_radius(a.at[i][j], *format);
    return result;
}

/// Every entry away from zero by almost as much as rounding allows.
Shaped moved(Shaped a, const Shaped& radius) {
    for (std::size_t i = 0; i < a.rows; ++i)
        for (std::size_t j = 0; j < a.cols; ++j) {
            Rational& x = a.at[i][j];
            const Rational step = radius.at[i][j] * Rational(1023, 1024);
            x += x < 0 ? Rational(-step) : step;
        }
    return a;
}

/// Some members of a family: β in an interval, Q and K with every entry within a radius.
struct Piece {
    Rational low, high;  ///< β
    Shaped query, key, query_radius, key_radius;
};

bool sees(const Head& head, std::size_t i, std::size_t j) {
    const auto m = static_cast<std::size_t>(head.query.rows()), n = static_cast<std::size_t>(head.key.rows());
    if (head.mask.kind == MaskKind::boolean ||
        (head.mask.kind == MaskKind::additive && head.mask.keep.size() != 0))
        return head.mask.keep(static_cast<Index>(i), static_cast<Index>(j));
    if (head.mask.kind != MaskKind::causal) return true;
    return head.mask.alignment == CausalAlignment::top_left ? j <= i : j + m <= i + n;
}

Rational bias(const Head& head, std::size_t i, std::size_t j) {
    if (head.mask.kind != MaskKind::additive) return 0;
    return head.mask.bias(static_cast<Index>(i), static_cast<Index>(j));
}

Rational dot(const Shaped& q, std::size_t i, const Shaped& k, std::size_t j) {
    Rational sum = 0;
    for (std::size_t l = 0; l < q.cols; ++l) sum += q.at[i][l] * k.at[j][l];
    return sum;
}

/// How far q′_i·(k′_j − k′_h) can be from q_i·(k_j − k_h).
Rational deviation(const Piece& p, std::size_t i, std::size_t j, std::size_t h) {
    Rational sum = 0;
    for (std::size_t l = 0; l < p.query.cols; ++l) {
        const Rational& a = p.query_radius.at[i][l];
        sum += a * magnitude(p.key.at[j][l] - p.key.at[h][l]) +
               (magnitude(p.query.at[i][l]) + a) * (p.key_radius.at[j][l] + p.key_radius.at[h][l]);
    }
    return sum;
}

/// Bits before the binary point.
unsigned size_of(const Rational& x) {
    if (x == 0) return 0;
    const long bits = static_cast<long>(msb(abs(numerator(x)))) - static_cast<long>(msb(denominator(x))) + 1;
    return bits > 0 ? static_cast<unsigned>(bits) : 0;
}

/// a_ij = 1 / Σ_h e^(t_h − t_j) over the visible keys h.
BoundTable softmax(const Head& head, const Piece& piece) {
    const std::size_t m = piece.query.rows, n = piece.key.rows;
    Shaped dots = zeros(m, n);
    unsigned size = size_of(head.scale.factor) + size_of(piece.high);
    unsigned largest = 0;
    for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            dots.at[i][j] = dot(piece.query, i, piece.key, j);
            largest = std::max(largest, size_of(dots.at[i][j]));
        }
    size += largest + 1;
    const Bounds scale = enclose_scale(head.scale, piece.low, piece.high, kWork + 8 + size);
    const Rational steepest = std::max(magnitude(scale.low), magnitude(scale.high));
    BoundTable result(m, std::vector<Bounds>(n));
    for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            if (!sees(head, i, j)) continue;
            Integer low = 0, high = 0;
            bool bounded = true;
            for (std::size_t h = 0; h < n; ++h) {
                if (!sees(head, i, h)) continue;
                Bounds t{0, 0};
                if (h != j) {
                    t = times(scale, dots.at[i][h] - dots.at[i][j]);
                    const Rational rest = bias(head, i, h) - bias(head, i, j);
                    const Rational spread = steepest * deviation(piece, i, h, j);
                    t.low += rest - spread;
                    t.high += rest + spread;
                }
                low += *power(t.low, false);
                const auto above = power(t.high, true);
                bounded = bounded && above;
                if (above) high += *above;
            }
            if (bounded && low == high) {
                const Rational exact = 1 / on_work_grid(low);
                result[i][j] = {exact, exact};
                continue;
            }
            const Integer scaled = kOne << kOracleBits;
            const Rational unit = two_to(-static_cast<long>(kOracleBits));
            result[i][j] = {bounded ? Rational(divided(scaled, high, false)) * unit : Rational(0),
                            Rational(divided(scaled, low, true)) * unit};
        }
    return result;
}

/// Rows that cannot be told apart by what softmax sees of them.
std::size_t count_rows(const Head& head, const Shaped& q, const Shaped& k) {
    if (head.rounded_from) return q.rows;
    const Integer root = sqrt(Integer(head.scale.sqrt_of));
    const bool rational = root * root == Integer(head.scale.sqrt_of);
    const Rational slope = head.multiplier_high * head.scale.factor;
    const bool one_number = slope == 0 || (rational && head.multiplier_low == head.multiplier_high);
    std::set<std::vector<Rational>> rows;
    for (std::size_t i = 0; i < q.rows; ++i) {
        std::vector<Rational> row;
        std::size_t first = 0;
        while (!sees(head, i, first)) ++first;
        for (std::size_t j = 0; j < k.rows; ++j) {
            row.push_back(sees(head, i, j) ? 1 : 0);
            if (!sees(head, i, j)) continue;
            const Rational x = dot(q, i, k, j) - dot(q, i, k, first);
            const Rational y = bias(head, i, j) - bias(head, i, first);
            if (one_number) {
                row.push_back(slope / Rational(root) * x + y);
            } else {
                row.push_back(x);
                row.push_back(y);
            }
        }
        rows.insert(row);
    }
    return rows.size();
}

std::size_t count_steps(const Head& head, std::size_t m, std::size_t n) {
    std::set<std::size_t> first, last;
    for (std::size_t i = 0; i < m; ++i) {
        std::vector<std::size_t> seen;
        for (std::size_t j = 0; j < n; ++j)
            if (sees(head, i, j)) seen.push_back(j);
        first.insert(seen.front());
        last.insert(seen.back());
    }
    return std::max(first.size(), last.size());
}

Bounds distance(const BoundTable& a, const Shaped& centre) {
    Bounds largest{0, 0};
    for (std::size_t i = 0; i < centre.rows; ++i) {
        Bounds sum{0, 0};
        for (std::size_t j = 0; j < centre.cols; ++j) {
            const Rational above = centre.at[i][j] - a[i][j].low, below = a[i][j].high - centre.at[i][j];
            sum.high += std::max(above, below);
            sum.low += std::max({Rational(0), Rational(centre.at[i][j] - a[i][j].high),
                                 Rational(a[i][j].low - centre.at[i][j])});
        }
        largest = {std::max(largest.low, sum.low), std::max(largest.high, sum.high)};
    }
    return largest;
}

/// The least k such that all but the k largest entries sum to at most ε.
std::size_t entries_needed(Row row, const Rational& epsilon) {
    std::sort(row.begin(), row.end());
    Rational rest = 0;
    std::size_t dropped = 0;
    while (dropped < row.size() && rest + row[dropped] <= epsilon) rest += row[dropped++];
    return row.size() - dropped;
}

}  // namespace

Bounds enclose_decay(const Bounds& x) {
    return {on_work_grid(decay(x.high, false)), on_work_grid(decay(x.low, true))};
}

HeadOracle::HeadOracle(const Head& head)
    : rows_(static_cast<std::size_t>(head.query.rows())), cols_(static_cast<std::size_t>(head.key.rows())) {
    const Shaped q = widen(head.query), k = widen(head.key);
    const Shaped a = radii(q, head.rounded_from), b = radii(k, head.rounded_from);
    const Shaped q0 = zeros(q.rows, q.cols), k0 = zeros(k.rows, k.cols);
    distinct_rows_ = count_rows(head, q, k);
    staircase_ = count_steps(head, rows_, cols_);
    const Rational& low = head.multiplier_low;
    const Rational width = head.multiplier_high - low;
    for (const int third : {0, 1, 2}) {
        if (third > 0 && width == 0) break;
        const Rational beta = low + width * third / 2;
        points_.push_back(softmax(head, {beta, beta, q, k, q0, k0}));
        if (!head.rounded_from) continue;
        points_.push_back(softmax(head, {beta, beta, moved(q, a), moved(k, b), q0, k0}));
    }
    if (head.is_single()) {
        pieces_ = points_;
    } else {
        const int pieces = width == 0 ? 1 : 8;
        for (int p = 0; p < pieces; ++p)
            pieces_.push_back(
                softmax(head, {low + width * p / pieces, low + width * (p + 1) / pieces, q, k, a, b}));
    }
    for (const BoundTable& point : points_) members_.emplace_back(point, distinct_rows_);
}

Bounds HeadOracle::error(const Shaped& centre) const {
    Bounds result{0, 0};
    for (const BoundTable& point : points_) result.low = std::max(result.low, distance(point, centre).low);
    for (const BoundTable& piece : pieces_) result.high = std::max(result.high, distance(piece, centre).high);
    return result;
}

std::pair<Index, Index> HeadOracle::budget(const Rational& epsilon) const {
    // The budget grows with every entry. Some row has the largest one, in whichever piece.
    std::size_t least = cols_, most = 0;
    for (const BoundTable& piece : pieces_) {
        std::size_t least_here = 0;
        for (const auto& row : piece) {
            Row low, high;
            for (const Bounds& x : row) {
                low.push_back(x.low);
                high.push_back(x.high);
            }
            least_here = std::max(least_here, entries_needed(low, epsilon));
            most = std::max(most, entries_needed(high, epsilon));
        }
        least = std::min(least, least_here);
    }
    return {static_cast<Index>(least), static_cast<Index>(most)};
}

Expected expect(const LowerWitness& witness, const HeadOracle& head, const Shaped& centre,
                const Bounds& error, const Rational& epsilon) {
    if (const auto* rule = std::get_if<LowerRule>(&witness)) {
        if (*rule == LowerRule::nonzero) return {epsilon < 1, epsilon < 1, 1};
        const bool holds = *rule == LowerRule::support && epsilon == 0;
        return {holds, holds, static_cast<Index>(head.staircase())};
    }
    const auto judge = [&](const auto& w) -> Expected {
        const Answer sure = oracle(w, centre, epsilon + error.high);
        const Answer best = oracle(w, centre, epsilon + error.low);
        return {sure.holds, best.holds, best.rank};
    };
    if (const auto* w = std::get_if<FixedSpaceWitness>(&witness)) return judge(*w);
    if (const auto* w = std::get_if<NeumannWitness>(&witness)) return judge(*w);
    return judge(std::get<EckartYoungWitness>(witness));
}

Expected expect(const UpperWitness& witness, const HeadOracle& head, const Shaped& centre,
                const Bounds& error, const Rational& epsilon) {
    if (const auto* rule = std::get_if<UpperRule>(&witness)) {
        if (*rule == UpperRule::zero) return {epsilon >= 1, epsilon >= 1, 0};
        if (*rule == UpperRule::shape)
            return {true, true, static_cast<Index>(std::min(centre.rows, centre.cols))};
        if (*rule == UpperRule::distinct_rows) return {true, true, static_cast<Index>(head.distinct_rows())};
        return {};
    }
    const auto judge = [&](const auto& w) -> Expected {
        const Answer sure = oracle(w, centre, epsilon - error.high);
        const Answer best = oracle(w, centre, epsilon - error.low);
        return {sure.holds, best.holds, best.rank};
    };
    if (const auto* w = std::get_if<FactorWitness>(&witness)) return judge(*w);
    return judge(std::get<RepresentativeRowsWitness>(witness));
}

}  // namespace rankcert::test
