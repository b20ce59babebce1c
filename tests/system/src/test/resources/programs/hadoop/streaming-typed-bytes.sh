# TypedBytesWritable keys and values out of sequence files
# unordered
hadoop jar $STREAMING -Dmapreduce.job.reduces=2 -io typedbytes -inputformat org.apache.hadoop.mapred.SequenceFileInputFormat \
  -input $IN/sequence-left -output $OUT/copied -mapper /bin/cat -reducer /bin/cat
