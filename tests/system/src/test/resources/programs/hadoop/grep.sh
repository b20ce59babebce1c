# two jobs, one after the other; LongWritable, descending
# unordered
hadoop jar $EXAMPLES grep $IN/words $OUT/matches 'word[0-9]*7'
