#pragma once
/// \file row_cycle_complex.hpp  Odd cycles of signed k-sets on few rows: does one exist whose sets all have a
/// value above a threshold?
///
/// The signed k-sets on n rows that make a cycle with an odd number of alternating members are: all signs of
/// some k rows, plus (modulo 2) boundaries of signed (k+1)-sets. So a set that is too low is one linear
/// equation over F₂: the chosen (k+1)-sets that contain it must be odd or even in number. Equations are met
/// one by one, as sets of the current cycle turn out to be too low; sets outside it are never valued. For n =
/// k + 1 every equation has two unknowns, and a contradiction is a path of low sets in the cube from a corner
/// to its antipode.

#include <memory>
#include <utility>
#include <vector>

#include "row_cycle_value.hpp"

namespace rankcert::search {

/// Which signed k-sets of n positions there are, and how they meet the signed (k+1)-sets.
class SignedSets {
  public:
    using Mask = std::uint32_t;
    struct Set {
        Mask mask = 0;
        Mask negative = 0;  ///< within mask; not at the lowest position
    };

    SignedSets(int k, int n);

    [[nodiscard]] int k() const { return k_; }
    [[nodiscard]] int n() const { return n_; }
    [[nodiscard]] std::size_t size() const { return sets_.size(); }
    [[nodiscard]] std::size_t upper_size() const { return upper_.size(); }
    [[nodiscard]] const Set& operator[](std::size_t i) const { return sets_[i]; }
    [[nodiscard]] std::size_t index(Set set) const;
    /// The (k+1)-sets that contain set i, and the k-sets in (k+1)-set i.
    [[nodiscard]] std::vector<int> cofaces(std::size_t i) const;
    void faces(std::size_t i, std::vector<int>& out) const;

    /// How many k-sets and (k+1)-sets there would be, as far as double can say.
    [[nodiscard]] static double count(int k, int n);

  private:
    [[nodiscard]] static std::vector<int> ranks(int size, int n, std::vector<Mask>& masks);
    int k_;
    int n_;
    std::vector<Set> sets_, upper_;
    std::vector<int> rank_, upper_rank_;  // of masks among those with k, k + 1 bits
};

/// n rows with what is known of their signed sets, and a cycle.
struct CycleState {
    std::vector<Index> rows;   ///< by position
    std::vector<float> lower;  ///< bounds of each set's value
    std::vector<float> upper;
    std::vector<float> guess;    ///< where its value is expected: low ones are valued first
    std::vector<float> weights;  ///< k a set
    std::vector<char> in;        ///< whether the set is in the cycle
    double value = 0;            ///< the least lower bound in the cycle
};

class CycleFinder {
  public:
    CycleFinder(SetValues& values, std::shared_ptr<const SignedSets> sets)
        : values_(values), sets_(std::move(sets)) {}

    [[nodiscard]] const SignedSets& sets() const { return *sets_; }
    /// All signs of the first k rows; nothing is known of any value.
    [[nodiscard]] CycleState start(std::vector<Index> rows) const;
    /// The state with one row more. `wider`: the finder for n + 1.
    [[nodiscard]] CycleState with_row(const CycleState& state, Index row, const CycleFinder& wider) const;
    /// The state with another row at a position; what is known of the sets without it stays.
    [[nodiscard]] CycleState with_swap(const CycleState& state, int position, Index row) const;

    /// Moves the cycle to one whose sets all have values above the threshold, where there is one (and then
    /// sets `value`). False where there is none, or where the work went over the limit.
    bool find(CycleState& state, double threshold, double work_limit);
    /// Raises the threshold as far as cycles are found, up to `goal`.
    void raise(CycleState& state, double goal, double work_limit);

    [[nodiscard]] double work() const { return values_.work() + work_; }
    [[nodiscard]] std::vector<Index> rows_of(const CycleState& state, std::size_t set,
                                             std::uint64_t& negative) const;

  private:
    void value_set(CycleState& state, std::size_t set, double threshold);

    SetValues& values_;
    std::shared_ptr<const SignedSets> sets_;
    double work_ = 0;
};

}  // namespace rankcert::search
