# BooleanWritable keys
hadoop jar $EXAMPLES pi 3 2000 | grep Estimated > $OUT/printed
