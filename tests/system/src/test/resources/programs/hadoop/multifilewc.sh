# several files in one split
hadoop jar $EXAMPLES multifilewc -Dmapreduce.job.reduces=2 $IN/words $OUT/count
