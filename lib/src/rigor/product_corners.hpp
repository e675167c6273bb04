#pragma once
/// \file product_corners.hpp  Which ends of two intervals multiply to the ends of their product.

namespace rankcert::detail {

/// Which signs the members of a non-empty interval have.
enum class Signs { zero, nonnegative, nonpositive, mixed };

/// The ends of a and b whose products are the least and the greatest one.
template <class End>
struct Corners {
    End low_a, low_b, high_a, high_b;
};

/// For a = [al, au] and b = [bl, bu] that are not both mixed: there it depends on their sizes.
template <class End>
Corners<End> product_corners(Signs sa, End al, End au, Signs sb, End bl, End bu) noexcept {
    if (sa == Signs::nonnegative) {
        if (sb == Signs::nonnegative) return {al, bl, au, bu};
        if (sb == Signs::nonpositive) return {au, bl, al, bu};
        return {au, bl, au, bu};
    }
    if (sa == Signs::nonpositive) {
        if (sb == Signs::nonnegative) return {al, bu, au, bl};
        if (sb == Signs::nonpositive) return {au, bu, al, bl};
        return {al, bu, al, bl};
    }
    if (sb == Signs::nonnegative) return {al, bu, au, bu};
    return {au, bl, al, bl};
}

}  // namespace rankcert::detail
