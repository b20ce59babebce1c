# mapper, combiner and reducer in another language; sorts what a reduce task has, however many there are
# unordered
hadoop jar $STREAMING -Dmapreduce.job.reduces=2 -files words.awk,sum.awk -input $IN/words -output $OUT/count \
  -mapper '/usr/bin/awk -f words.awk' -combiner '/usr/bin/awk -f sum.awk' -reducer '/usr/bin/awk -f sum.awk'
