#include "row_cycle_kernels.hpp"

#include <cmath>

// Sums run in eight lanes each, which compilers turn into vector instructions without licence to reorder
// sums.

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__gnu_linux__)
#define RANKCERT_CLONES __attribute__((target_clones("arch=haswell", "default")))
#else
#define RANKCERT_CLONES
#endif

namespace rankcert::search::row_cycle {

namespace {
constexpr int kLanes = 8;
}

RANKCERT_CLONES void combine(const double* s, const double* lambda, int k, int n, double* w) {
    for (int j = 0; j < n; ++j) w[j] = lambda[0] * s[j];
    int i = 1;
    for (; i + 1 < k; i += 2) {
        const double x = lambda[i], y = lambda[i + 1];
        const double* a = s + static_cast<long>(i) * n;
        const double* b = a + n;
        for (int j = 0; j < n; ++j) w[j] += x * a[j] + y * b[j];
    }
    for (; i < k; ++i) {
        const double x = lambda[i];
        const double* a = s + static_cast<long>(i) * n;
        for (int j = 0; j < n; ++j) w[j] += x * a[j];
    }
}

RANKCERT_CLONES double clip(const double* w, double inverse_delta, double delta, int n, double* v,
                            double& smooth) {
    double sums[kLanes] = {}, smooths[kLanes] = {};
    int j = 0;
    for (; j + kLanes <= n; j += kLanes) {
        for (int l = 0; l < kLanes; ++l) {
            const double x = w[j + l];
            const double size = x < 0 ? -x : x;
            double y = x * inverse_delta;
            y = y < -1 ? -1 : y;
            y = y > 1 ? 1 : y;
            v[j + l] = y;
            sums[l] += size;
            // Above δ: y x − (δ/2)(y² − 1) with y = ±1 is |x|; below: x²/δ − x²/(2δ) + δ/2.
            smooths[l] += y * x - (0.5 * delta) * (y * y - 1);
        }
    }
    double sum = 0, total = 0;
    for (int l = 0; l < kLanes; ++l) sum += sums[l], total += smooths[l];
    for (; j < n; ++j) {
        const double x = w[j];
        double y = x * inverse_delta;
        y = y < -1 ? -1 : y;
        y = y > 1 ? 1 : y;
        v[j] = y;
        sum += x < 0 ? -x : x;
        total += y * x - (0.5 * delta) * (y * y - 1);
    }
    smooth = total;
    return sum;
}

RANKCERT_CLONES void products(const double* s, const double* v, int k, int n, double* g) {
    for (int i = 0; i < k; ++i) {
        const double* a = s + static_cast<long>(i) * n;
        double sums[kLanes] = {};
        int j = 0;
        for (; j + kLanes <= n; j += kLanes) {
            for (int l = 0; l < kLanes; ++l) sums[l] += a[j + l] * v[j + l];
        }
        double sum = 0;
        for (int l = 0; l < kLanes; ++l) sum += sums[l];
        for (; j < n; ++j) sum += a[j] * v[j];
        g[i] = sum;
    }
}

RANKCERT_CLONES double smooth_norm(const double* w, const double* d, double alpha, double delta, int n) {
    const double inverse_delta = 1 / delta;
    double sums[kLanes] = {};
    int j = 0;
    for (; j + kLanes <= n; j += kLanes) {
        for (int l = 0; l < kLanes; ++l) {
            const double x = w[j + l] + alpha * d[j + l];
            double y = x * inverse_delta;
            y = y < -1 ? -1 : y;
            y = y > 1 ? 1 : y;
            sums[l] += y * x - (0.5 * delta) * (y * y - 1);
        }
    }
    double sum = 0;
    for (int l = 0; l < kLanes; ++l) sum += sums[l];
    for (; j < n; ++j) {
        const double x = w[j] + alpha * d[j];
        double y = x * inverse_delta;
        y = y < -1 ? -1 : y;
        y = y > 1 ? 1 : y;
        sum += y * x - (0.5 * delta) * (y * y - 1);
    }
    return sum;
}

RANKCERT_CLONES void gram(const double* s, const int* columns, int count, int k, int n, double* gathered,
                          double* h) {
    for (int i = 0; i < k; ++i) {
        const double* a = s + static_cast<long>(i) * n;
        double* to = gathered + static_cast<long>(i) * count;
        for (int c = 0; c < count; ++c) to[c] = a[columns[c]];
    }
    for (int i = 0; i < k; ++i) {
        products(gathered, gathered + static_cast<long>(i) * count, i + 1, count,
                 h + static_cast<long>(i) * k);
    }
}

}  // namespace rankcert::search::row_cycle
