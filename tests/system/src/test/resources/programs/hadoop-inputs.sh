# Inputs that jobs make, once, with the stock shuffle.
hadoop jar $EXAMPLES teragen 30000 $IN/records
for side in left right; do
  hadoop jar $EXAMPLES sort -r 2 \
    -inFormat org.apache.hadoop.mapreduce.lib.input.KeyValueTextInputFormat \
    -outFormat org.apache.hadoop.mapreduce.lib.output.TextOutputFormat \
    -outKey org.apache.hadoop.io.Text -outValue org.apache.hadoop.io.Text \
    $IN/$side $IN/sorted-$side
  hadoop jar $EXAMPLES sort -r 2 \
    -inFormat org.apache.hadoop.mapreduce.lib.input.KeyValueTextInputFormat \
    -outKey org.apache.hadoop.io.Text -outValue org.apache.hadoop.io.Text \
    $IN/$side $IN/sequence-$side
done
