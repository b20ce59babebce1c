# a total order partitioner of its own; teravalidate's verdict
hadoop jar $EXAMPLES terasort -Dmapreduce.job.reduces=3 $IN/records $OUT/sorted
hadoop jar $EXAMPLES teravalidate $OUT/sorted $OUT/verdict
