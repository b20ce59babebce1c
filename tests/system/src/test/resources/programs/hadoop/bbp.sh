# one reducer; BytesWritable values
hadoop jar $EXAMPLES bbp 1 40 4 $OUT/digits
