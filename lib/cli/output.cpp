#include "output.hpp"

#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>

#include "rankcert/rigor/error.hpp"
#include "text.hpp"

namespace rankcert::cli {

nlohmann::ordered_json to_json(const Cell& cell) {
    return {
        {"file", cell.file},
        {"head", cell.head},
        {"n", cell.n},
        {"beta_multiplier", cell.beta_multiplier},
        {"epsilon", to_string(cell.epsilon)},
        {"lower", cell.lower},
        {"upper", cell.upper},
        {"lower_method", cell.lower_method},
        {"upper_method", cell.upper_method},
        {"verdict", to_string(Decision::proved)},
        {"rho", upper_double(cell.rho)},
        {"seconds", cell.seconds},
        {"certificate", cell.certificate},
    };
}

std::string json_line(const Cell& cell) { return dump_line(to_json(cell)); }

std::string display_name(const std::string& head, const std::string& beta_multiplier) {
    return printable(head) + (beta_multiplier == "1" ? "" : " β×" + beta_multiplier);
}

std::string bracket_text(std::optional<Index> lower, std::optional<Index> upper) {
    if (lower && upper && *lower == *upper) return "r_ε(A) = " + std::to_string(*lower);
    std::string text = "r_ε(A)";
    if (lower) text = std::to_string(*lower) + " ≤ " + text;
    if (upper) text += " ≤ " + std::to_string(*upper);
    return text;
}

std::string rho_text(const Rational& rho) { return rho == 0 ? "ρ = 0" : "ρ ≤ " + upper_decimal(rho); }

std::string to_line(const Cell& cell, std::size_t name_width, std::size_t epsilon_width, bool verbose) {
    std::string line = pad(display_name(cell.head, cell.beta_multiplier), name_width) +
                       "  ε=" + pad(cell.epsilon_text, epsilon_width) + "  " +
                       pad(bracket_text(cell.lower, cell.upper), 20) + "  proved  " +
                       printable(cell.certificate) + "\n";
    if (verbose) {
        std::ostringstream seconds;
        seconds.precision(2);
        seconds << std::fixed << cell.seconds;
        line += "    lower by " + cell.lower_method + ", upper by " + cell.upper_method + ", " +
                rho_text(cell.rho) + ", " + seconds.str() + " s\n";
    }
    if (cell.top_k) {
        const std::string lower = std::to_string(cell.top_k->lower);
        const std::string upper = std::to_string(cell.top_k->upper);
        line += "    top-k budget " + (lower == upper ? upper : lower + " to " + upper) +
                " (entries that carry all but ε of every row: a sparsity figure, not a rank)\n";
    }
    return line;
}

std::string dump_line(const nlohmann::ordered_json& json) {
    return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

void print(const std::string& text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
        throw Error(
            "Standard output cannot be written to: free the disk, or let the reader of the pipe read on.");
    }
}

}  // namespace rankcert::cli
