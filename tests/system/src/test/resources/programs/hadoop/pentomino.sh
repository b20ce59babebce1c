# solutions of a puzzle as Text
# unordered
hadoop jar $EXAMPLES pentomino -Dmapreduce.pentomino.class=org.apache.hadoop.examples.dancing.Pentomino \
  $OUT/solutions -width 3 -height 20 -depth 1
