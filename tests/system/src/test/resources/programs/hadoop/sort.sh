# no combiner; values of equal keys come in the order that the shuffle gives
# unordered
hadoop jar $EXAMPLES sort -r 2 -inFormat org.apache.hadoop.mapreduce.lib.input.KeyValueTextInputFormat \
  -outFormat org.apache.hadoop.mapreduce.lib.output.TextOutputFormat \
  -outKey org.apache.hadoop.io.Text -outValue org.apache.hadoop.io.Text $IN/left $OUT/sorted
