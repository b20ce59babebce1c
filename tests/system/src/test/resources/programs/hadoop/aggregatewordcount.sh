# combiner and reducer of the aggregate library
hadoop jar $EXAMPLES aggregatewordcount $IN/words $OUT/count 2 textinputformat
