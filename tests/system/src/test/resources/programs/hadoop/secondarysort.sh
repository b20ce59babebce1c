# a partitioner and a grouping comparator of its own
hadoop jar $EXAMPLES secondarysort -Dmapreduce.job.reduces=2 $IN/pairs $OUT/sorted
