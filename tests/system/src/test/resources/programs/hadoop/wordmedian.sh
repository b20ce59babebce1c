# IntWritable keys
hadoop jar $EXAMPLES wordmedian $IN/words $OUT/median | grep 'median is' > $OUT/printed
