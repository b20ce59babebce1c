{ n[$1] += $2 }
END { for (w in n) print w "\t" n[w] | "sort" }
