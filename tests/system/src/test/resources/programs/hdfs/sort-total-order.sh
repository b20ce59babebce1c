# samples its input; TotalOrderPartitioner
# unordered
hadoop jar $EXAMPLES sort -r 3 -outKey org.apache.hadoop.io.Text -outValue org.apache.hadoop.io.Text \
  -totalOrder 0.5 2000 10 $IN/sequence-left $OUT/sorted
