# the aggregate library as reducer and combiner of a command
hadoop jar $STREAMING -Dmapreduce.job.reduces=2 -files aggregate.awk -input $IN/words -output $OUT/sums \
  -mapper '/usr/bin/awk -f aggregate.awk' -reducer aggregate
