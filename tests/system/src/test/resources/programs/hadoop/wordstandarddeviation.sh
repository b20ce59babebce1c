# a combiner; LongWritable values
hadoop jar $EXAMPLES wordstandarddeviation $IN/words $OUT/deviation | grep 'deviation is' > $OUT/printed
