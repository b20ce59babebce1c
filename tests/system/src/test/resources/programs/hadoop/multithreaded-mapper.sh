# map output from several threads
hadoop jar $JOBS dev.sailfish.jobs.library.MultithreadedWordCount -Dmapreduce.job.reduces=2 $IN/words $OUT/count
