# ChainMapper and ChainReducer
hadoop jar $JOBS dev.sailfish.jobs.library.ChainedWordCount -Dmapreduce.job.reduces=2 $IN/words $OUT/count
