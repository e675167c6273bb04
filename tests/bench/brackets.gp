# Brackets sorted by n, model and U. Proved ones as bars from L to U, dots where closed; those of the usual certificates
# (estimates) in grey behind them.   gnuplot -e "csv='table.csv'; svg='table.svg'" brackets.gp
set datafile separator ","
set terminal svg size 1600,900 dynamic background "white" font "sans,14"
set output svg
set key top left
set logscale y 2
set yrange [0.9:300]
set ylabel "rank"
set xlabel "heads × ε, sorted by n, model and U"
set grid y
lower(l) = l < 1 ? 0.95 : l
plot csv every ::1 using 0:(lower($10 > $11 ? $10 : $11)):(0):((($12 < $13) ? $12 : $13) - lower($10 > $11 ? $10 : $11)) \
         with vectors nohead lc rgb "#c8c8c8" lw 1.5 title "tail and Neumann to SVD and representative rows (estimates)", \
     csv every ::1 using 0:(lower($6)):(0):($7 - lower($6)) with vectors nohead lc rgb "#c0392b" lw 2 title "proved, open", \
     csv every ::1 using 0:($6 == $7 ? $6 : 1/0) with points pt 7 ps 0.3 lc rgb "#1f5fa8" title "proved, closed"
