# KeyFieldBasedPartitioner and -Comparator: one field up, the other down
hadoop jar $STREAMING -Dmapreduce.job.reduces=3 -Dstream.num.map.output.key.fields=2 \
  -Dstream.map.output.field.separator=' ' -Dmapreduce.map.output.key.field.separator=' ' \
  -Dmapreduce.partition.keypartitioner.options=-k1,1 -Dmapreduce.partition.keycomparator.options='-k1,1n -k2,2nr' \
  -Dmapreduce.job.output.key.comparator.class=org.apache.hadoop.mapred.lib.KeyFieldBasedComparator \
  -input $IN/pairs -output $OUT/sorted -mapper /bin/cat -reducer /bin/cat \
  -partitioner org.apache.hadoop.mapred.lib.KeyFieldBasedPartitioner
