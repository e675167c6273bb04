#include "attention/heads.hpp"

#include <mpfr.h>

#include <cmath>

#include "rankcert/io/safetensors.hpp"
#include "rankcert/rigor/error.hpp"

namespace rankcert::tests {

Head head_of_logits(const Eigen::MatrixXd& logits) {
    Head head;
    head.query = ExactMatrix::identity(logits.rows());
    head.key = ExactMatrix::from_double(logits.transpose());
    return head;
}

Head head_of_row(const std::vector<double>& logits) {
    Eigen::MatrixXd row(1, static_cast<Index>(logits.size()));
    for (std::size_t j = 0; j < logits.size(); ++j) row(0, static_cast<Index>(j)) = logits[j];
    return head_of_logits(row);
}

Head random_head(std::mt19937_64& random) {
    const auto pick = [&](int low, int high) {
        return std::uniform_int_distribution<int>(low, high)(random);
    };
    const auto entry = [&](int highest) {
        if (pick(0, 9) == 0) return 0.0;
        return std::ldexp(pick(-2047, 2047), pick(-50, highest) - 11);
    };
    const int m = pick(1, 6);
    const int n = pick(1, 7);
    const int d = pick(1, 4);
    const int highest = pick(-3, 5);
    Eigen::MatrixXd query(m, d);
    Eigen::MatrixXd key(n, d);
    for (Index i = 0; i < m; ++i) {
        for (Index l = 0; l < d; ++l) query(i, l) = entry(highest);
    }
    for (Index j = 0; j < n; ++j) {
        for (Index l = 0; l < d; ++l) key(j, l) = entry(highest);
    }
    if (m > 1 && pick(0, 2) == 0) query.row(1) = query.row(0);
    if (n > 1 && pick(0, 2) == 0) key.row(n - 1) = key.row(0);
    Head head;
    head.query = ExactMatrix::from_double(query);
    head.key = ExactMatrix::from_double(key);
    const Scale scales[] = {{Rational(1), 1},     {Rational(1), static_cast<std::uint64_t>(d)},
                            {Rational(1, 3), 1},  {to_rational(0.17677669227123260), 1},
                            {Rational(-5, 7), 3}, {Rational(2), 49},
                            {Rational(0), 1}};
    head.scale = scales[pick(0, 6)];
    const Rational multipliers[] = {Rational(1), Rational(1, 2), Rational(9, 10), Rational(0), Rational(4)};
    head.multiplier_low = head.multiplier_high = multipliers[pick(0, 4)];
    const int mask = pick(0, 4);
    switch (mask) {
        case 1:
            head.mask.kind = MaskKind::causal;
            head.mask.alignment =
                n < m || pick(0, 1) == 0 ? CausalAlignment::top_left : CausalAlignment::bottom_right;
            break;
        case 2:
            head.mask.kind = MaskKind::boolean;
            head.mask.keep.resize(m, n);
            for (Index i = 0; i < m; ++i) {
                for (Index j = 0; j < n; ++j) head.mask.keep(i, j) = pick(0, 1) == 0;
                head.mask.keep(i, pick(0, n - 1)) = true;
            }
            break;
        case 3:
        case 4: {  // biases, and for 4 also −infinity
            head.mask.kind = MaskKind::additive;
            Eigen::MatrixXd bias(m, n);
            for (Index i = 0; i < m; ++i) {
                for (Index j = 0; j < n; ++j) bias(i, j) = entry(highest);
            }
            if (mask == 4) {
                head.mask.keep = BoolMatrix::Constant(m, n, true);
                for (Index i = 0; i < m; ++i) {
                    const Index seen = pick(0, n - 1);
                    for (Index j = 0; j < n; ++j) head.mask.keep(i, j) = j == seen || pick(0, 2) != 0;
                }
                bias = head.mask.keep.select(bias, 0);
            }
            head.mask.bias = ExactMatrix::from_double(bias);
            break;
        }
        default:
            break;
    }
    return head;
}

Rational reference_error(const Head& head, const ExactMatrix& centre) {
    constexpr mpfr_prec_t kBits = 1500;
    mpfr_t root, sum, term;
    mpfr_inits2(kBits, root, sum, term, static_cast<mpfr_ptr>(nullptr));
    mpfr_set_ui(root, head.scale.sqrt_of, MPFR_RNDN);
    mpfr_sqrt(root, root, MPFR_RNDN);
    const auto n = static_cast<std::size_t>(head.keys());
    std::vector<__mpfr_struct> weights(n);
    for (auto& weight : weights) mpfr_init2(&weight, kBits);
    Rational largest = 0;
    for (Index i = 0; i < head.queries(); ++i) {
        mpfr_set_zero(sum, 1);
        for (Index j = 0; j < head.keys(); ++j) {
            mpfr_ptr weight = &weights[static_cast<std::size_t>(j)];
            mpfr_set_zero(weight, 1);
            if (!head.visible(i, j)) continue;
            Rational dot = 0;
            for (Index l = 0; l < head.query.cols(); ++l) dot += head.query(i, l) * head.key(j, l);
            dot *= head.scale.factor * head.multiplier_low;
            mpfr_set_q(weight, dot.backend().data(), MPFR_RNDN);
            mpfr_div(weight, weight, root, MPFR_RNDN);
            if (head.mask.kind == MaskKind::additive) {
                mpfr_add_q(weight, weight, head.mask.bias(i, j).backend().data(), MPFR_RNDN);
            }
            mpfr_exp(weight, weight, MPFR_RNDN);
            mpfr_add(sum, sum, weight, MPFR_RNDN);
        }
        Rational error = 0;
        for (Index j = 0; j < head.keys(); ++j) {
            mpfr_div(term, &weights[static_cast<std::size_t>(j)], sum, MPFR_RNDN);
            Rational value = 0;
            if (mpfr_zero_p(term) == 0 && mpfr_get_exp(term) > -20000)
                mpfr_get_q(value.backend().data(), term);
            error += boost::multiprecision::abs(Rational(value - centre(i, j)));
        }
        if (error > largest) largest = error;
    }
    for (auto& weight : weights) mpfr_clear(&weight);
    mpfr_clears(root, sum, term, static_cast<mpfr_ptr>(nullptr));
    return largest;
}

std::vector<RealHead> real_heads(const std::string& file) {
    const Safetensors contents = read_safetensors(std::string(RANKCERT_TEST_DATA) + "/heads/" + file);
    std::vector<RealHead> heads;
    for (const Tensor& tensor : contents.tensors) {
        if (!tensor.name.ends_with(".q")) continue;
        RealHead real;
        real.name = tensor.name.substr(0, tensor.name.size() - 2);
        real.head.query = ExactMatrix::from_double(to_matrix(tensor));
        real.head.key = ExactMatrix::from_double(to_matrix(*contents.find(real.name + ".k")));
        real.head.scale.factor = to_rational(std::stod(contents.metadata.at("beta")));
        if (contents.metadata.at("mask") == "causal") real.head.mask.kind = MaskKind::causal;
        real.attention = to_matrix(*contents.find(real.name + ".attn"));
        heads.push_back(std::move(real));
    }
    return heads;
}

}  // namespace rankcert::tests
