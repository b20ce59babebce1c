# the same with histograms as values
hadoop jar $EXAMPLES aggregatewordhist $IN/words $OUT/histogram 2 textinputformat
