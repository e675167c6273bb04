#pragma once
// The inner loops of row_cycle_value.cpp, for the widest vectors that the machine has.

namespace rankcert::search::row_cycle {

/// w = Σ_i λ_i s_i, s_i the rows of s (k×n, row-major).
void combine(const double* s, const double* lambda, int k, int n, double* w);
/// v_j = w_j / δ clipped to [−1, 1]. Returns Σ |w_j|; smooth: Σ of |w_j|, or of w_j²/(2δ) + δ/2 below δ.
double clip(const double* w, double inverse_delta, double delta, int n, double* v, double& smooth);
/// g_i = s_i·v.
void products(const double* s, const double* v, int k, int n, double* g);
/// Σ of |x|, or of x²/(2δ) + δ/2 below δ, for x = w + α d.
double smooth_norm(const double* w, const double* d, double alpha, double delta, int n);
/// h_ip += Σ over the columns listed of s_ij s_pj, p ≤ i; h is k×k. gathered: room for k·count numbers.
void gram(const double* s, const int* columns, int count, int k, int n, double* gathered, double* h);

}  // namespace rankcert::search::row_cycle
