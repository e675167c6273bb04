#pragma once
/// \file mp_scratch.hpp  Ends of a result, computed aside so that a result may be one of its own operands.

#include "rankcert/rigor/mp_interval.hpp"

namespace rankcert::detail {

/// Three MPFR numbers at the precision of a result, kept for the thread so that inner loops allocate nothing.
/// Only one may be alive in a thread at a time (the operations that use it do not call one another
/// meanwhile).
class MpScratch {
  public:
    explicit MpScratch(MpInterval& result) : result_(result), store_(store()) {
        const mpfr_prec_t bits = mpfr_get_prec(result.lower_mpfr());
        mpfr_set_prec(store_.lower, bits);
        mpfr_set_prec(store_.upper, bits);
    }
    MpScratch(const MpScratch&) = delete;
    MpScratch& operator=(const MpScratch&) = delete;

    [[nodiscard]] mpfr_ptr lower() noexcept { return store_.lower; }
    [[nodiscard]] mpfr_ptr upper() noexcept { return store_.upper; }
    [[nodiscard]] mpfr_ptr spare() {
        mpfr_set_prec(store_.spare, mpfr_get_prec(store_.lower));
        return store_.spare;
    }
    /// The ends become those of the result.
    void give() noexcept {
        mpfr_swap(result_.mutable_lower(), store_.lower);
        mpfr_swap(result_.mutable_upper(), store_.upper);
    }

  private:
    struct Store {
        MpFloat lower{64};
        MpFloat upper{64};
        MpFloat spare{64};
    };
    static Store& store() {
        thread_local Store numbers;
        return numbers;
    }

    MpInterval& result_;
    Store& store_;
};

}  // namespace rankcert::detail
