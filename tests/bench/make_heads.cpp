/// \file make_heads.cpp  Random heads of the kinds on which attention is studied, as float32 query and key.
///
/// Usage: make_heads N DIR [WORD]   writes DIR/random-nN-none.safetensors and DIR/random-nN-causal.safetensors with
/// the heads whose names contain WORD (default: all)
///
///   sphere-dD-bB  points on the sphere of R^D, logits B ⟨x_i, x_j⟩
///   gauss-dD-sS   logits of standard deviation S with a decaying spectrum, as in trained heads; also causal
///   local-wW      causal: logits that fall with the distance over W, with a noise of rank 8

#include <Eigen/Core>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <numbers>
#include <random>

#include "rankcert/io/file.hpp"
#include "rankcert/io/safetensors.hpp"

namespace {

using Eigen::Index;
using Eigen::MatrixXd;

MatrixXd normal(Index rows, Index cols, unsigned seed) {
    std::mt19937_64 bits(seed);
    const auto uniform = [&] { return (static_cast<double>(bits() >> 11) + .5) * 0x1p-53; };
    return MatrixXd::NullaryExpr(rows, cols, [&] {
        const double radius = std::sqrt(-2 * std::log(uniform()));
        return radius * std::cos(2 * std::numbers::pi * uniform());
    });
}

class Collection {
  public:
    Collection(std::string mask, std::string word) : word_(std::move(word)) {
        file_.metadata = {{"model", "random"}, {"beta", "1"}, {"mask", std::move(mask)}};
    }
    void add(const std::string& name, const MatrixXd& query, const MatrixXd& key) {
        if (name.find(word_) == std::string::npos) return;
        const auto in_float32 = [](const MatrixXd& a) -> MatrixXd { return a.cast<float>().cast<double>(); };
        file_.tensors.push_back(rankcert::from_matrix(name + ".q", in_float32(query), rankcert::DType::f32));
        file_.tensors.push_back(rankcert::from_matrix(name + ".k", in_float32(key), rankcert::DType::f32));
    }
    void write(const std::filesystem::path& path) const {
        if (!file_.tensors.empty()) rankcert::write_file_atomically(path, rankcert::format_safetensors(file_));
    }

  private:
    rankcert::Safetensors file_;
    std::string word_;
};

void add_gauss(Collection& collection, Index n, Index d, double size, const std::string& name) {
    const auto seed = static_cast<unsigned>(d);
    Eigen::VectorXd spectrum =
        Eigen::VectorXd::LinSpaced(d, 0, static_cast<double>(d - 1)).unaryExpr([d](double i) {
            return std::exp(-4 * i / static_cast<double>(d));
        });
    spectrum.normalize();
    collection.add(name, size * normal(n, d, seed) * spectrum.asDiagonal(), normal(n, d, seed + 1000));
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc < 3 || argc > 4) {
        std::cerr << "usage: make_heads N DIR [WORD]\n";
        return 3;
    }
    const Index n = std::stol(argv[1]);
    const std::filesystem::path directory = argv[2];
    const std::string word = argc > 3 ? argv[3] : "";
    Collection plain("none", word), causal("causal", word);
    for (const Index d : {2, 3, 4}) {
        MatrixXd x = normal(n, d, static_cast<unsigned>(d));
        x.rowwise().normalize();
        for (const int b : {1, 4, 16, 64}) {
            plain.add("sphere-d" + std::to_string(d) + "-b" + std::to_string(b), b * x, x);
        }
    }
    add_gauss(plain, n, 16, 1.5, "gauss-d16-s1.5");
    add_gauss(plain, n, 32, 2.5, "gauss-d32-s2.5");
    add_gauss(plain, n, 64, 4.0, "gauss-d64-s4");
    add_gauss(causal, n, 16, 1.5, "gauss-d16-s1.5");
    add_gauss(causal, n, 32, 2.5, "gauss-d32-s2.5");
    add_gauss(causal, n, 64, 4.0, "gauss-d64-s4");
    const struct {
        int width;
        double noise;
    } locals[] = {{1, .3}, {3, .5}, {8, 1}};
    for (const auto& [width, noise] : locals) {
        // Within a row only differences count, so that j/width falls like −(i − j)/width.
        MatrixXd query(n, 9), key(n, 9);
        query << Eigen::VectorXd::Ones(n), noise / std::sqrt(8) * normal(n, 8, 1);
        key << Eigen::VectorXd::LinSpaced(n, 0, static_cast<double>(n - 1)) / width, normal(n, 8, 2);
        causal.add("local-w" + std::to_string(width), query, key);
    }
    const std::string stem = "random-n" + std::to_string(n);
    plain.write(directory / (stem + "-none.safetensors"));
    causal.write(directory / (stem + "-causal.safetensors"));
    return 0;
} catch (const std::exception& error) {
    std::cerr << "make_heads: " << error.what() << '\n';
    return 3;
}
