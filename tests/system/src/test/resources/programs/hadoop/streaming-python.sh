# mapper and reducer in Python
# needs python3
hadoop jar $STREAMING -Dmapreduce.job.reduces=2 -files words.py,sum.py -input $IN/words -output $OUT/count \
  -mapper 'python3 words.py' -reducer 'python3 sum.py'
