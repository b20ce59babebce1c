# a combiner; one reducer
hadoop jar $EXAMPLES wordmean $IN/words $OUT/mean | grep 'mean is' > $OUT/printed
