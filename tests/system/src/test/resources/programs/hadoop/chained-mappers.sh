# ChainMapper and ChainReducer
hadoop jar $JOBS dev.sailfish.jobs.library.LibraryMain -Dmapreduce.job.reduces=2 chained $IN/words $OUT/count
