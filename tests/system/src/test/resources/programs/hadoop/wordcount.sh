# a combiner; Text keys
hadoop jar $EXAMPLES wordcount -Dmapreduce.job.reduces=2 $IN/words $OUT/count
