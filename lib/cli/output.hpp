#pragma once
/// \file output.hpp  What the program prints of a bracket, for people and for machines.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "rankcert/bracket/bracket.hpp"

namespace rankcert::cli {

/// One cell: a head at one ε. The ranks come out of Proved values or are the trivial 0.
struct Cell {
    std::string file;
    std::string head;
    Index n = 0;
    std::string beta_multiplier;
    std::string epsilon_text;  ///< as the user wrote it
    Rational epsilon;
    Index lower = 0;
    Index upper = 0;
    std::string lower_method;
    std::string upper_method;
    Rational rho;
    double seconds = 0;
    std::string certificate;
    std::optional<TopKBudget> top_k;  ///< proved
};

/// The exact keys of a bracket line: file, head, n, beta_multiplier, epsilon, lower, upper, lower_method,
/// upper_method, verdict, rho, seconds, certificate. epsilon is a fraction in lowest terms as text; rho is an
/// upper bound.
[[nodiscard]] nlohmann::ordered_json to_json(const Cell& cell);
[[nodiscard]] std::string json_line(const Cell& cell);

/// "layer2.head1  ε=1/4  37 ≤ r_ε(A) ≤ 41  proved  DIR/layer2.head1.cert.safetensors". `name_width` and
/// `epsilon_width` align a run's lines.
[[nodiscard]] std::string to_line(const Cell& cell, std::size_t name_width, std::size_t epsilon_width,
                                  bool verbose);

/// How the head is named in a line: with the multiplier where it is not 1.
[[nodiscard]] std::string display_name(const std::string& head, const std::string& beta_multiplier);

/// "37 ≤ r_ε(A) ≤ 41", "r_ε(A) = 41", or one side of it.
[[nodiscard]] std::string bracket_text(std::optional<Index> lower, std::optional<Index> upper);

/// "ρ ≤ 2.1174e-15", or "ρ = 0" for a matrix that is given exactly.
[[nodiscard]] std::string rho_text(const Rational& rho);

/// One line of JSON, whatever bytes the strings hold.
[[nodiscard]] std::string dump_line(const nlohmann::ordered_json& json);

/// Writes to standard output and makes sure that it arrived; throws Error where it cannot.
void print(const std::string& text);

}  // namespace rankcert::cli
