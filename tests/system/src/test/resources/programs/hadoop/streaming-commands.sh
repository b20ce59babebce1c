# mapper and reducer are commands
hadoop jar $STREAMING -Dmapreduce.job.reduces=2 -input $IN/words -output $OUT/lines \
  -mapper '/usr/bin/tr [a-m] [n-z]' -reducer '/usr/bin/uniq -c'
