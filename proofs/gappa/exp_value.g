# The computed e^r - 1, called v, and the exact polynomial that it stands for, called Y - 1. E stands for exp R.
# The goals are in exp_relative.goal (all arguments), exp_low.goal and exp_below.goal (x <= -700, where x - k ln 2
# loses less, and where the absolute error counts).
x = rnd(xx);
k_high rnd= k * Ln2High;
x_less rnd= x - k_high;
k_low rnd= k * Ln2Low;
r rnd= x_less - k_low;
q rnd= C2 + r * (C3 + r * (C4 + r * (C5 + r * (C6 + r * (C7 + r * (C8 + r * (C9 + r * (C10 + r * C11))))))));
s rnd= r * r;
v rnd= r + s * q;
y = 1 + v;

R = x - k * LN2;
Q = C2 + R * (C3 + R * (C4 + R * (C5 + R * (C6 + R * (C7 + R * (C8 + R * (C9 + R * (C10 + R * C11))))))));
Y = 1 + (R + R * R * Q);
