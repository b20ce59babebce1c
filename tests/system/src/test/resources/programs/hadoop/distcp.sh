# nothing: it has no reducers, and must not be disturbed
hadoop distcp $IN/words $OUT/copy
