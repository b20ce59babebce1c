# the same, outer
# unordered
hadoop jar $EXAMPLES join -r 2 -inFormat org.apache.hadoop.mapreduce.lib.input.KeyValueTextInputFormat \
  -outFormat org.apache.hadoop.mapreduce.lib.output.TextOutputFormat -outKey org.apache.hadoop.io.Text \
  -outValue org.apache.hadoop.mapreduce.lib.join.TupleWritable -joinOp outer \
  $IN/sorted-left $IN/sorted-right $OUT/joined
