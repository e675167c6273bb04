# The choice of k and the exact reduction, as exp_kernel.cpp computes them: k is an integer, found without error
# from its rounded sum, and what is left of x is small. LN2 stands for ln 2.
x = rnd(xx);
t rnd= x * InverseLn2;
shifted rnd= t + RoundToInteger;
k rnd= shifted - RoundToInteger;
R = x - k * LN2;

{ xx in [-745, 710] /\ LN2 - (Ln2High + Ln2Low) in [-1b-89, 1b-89]
->
  @FIX(k, 0) /\ k - (shifted - RoundToInteger) in [0, 0] /\ |k - x * InverseLn2| <= 0.5001 /\ |R| <= 0.3468 }

k - x * InverseLn2 -> (k - t) + (t - x * InverseLn2);
k - t -> (k - (shifted - RoundToInteger)) + (shifted - (t + RoundToInteger));
R -> x * (1 - InverseLn2 * LN2) - (k - x * InverseLn2) * LN2;
1 - InverseLn2 * LN2 -> 1 - InverseLn2 * (Ln2High + Ln2Low) - InverseLn2 * (LN2 - (Ln2High + Ln2Low));
