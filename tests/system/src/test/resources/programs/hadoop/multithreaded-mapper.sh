# map output from several threads
hadoop jar $JOBS dev.sailfish.jobs.library.LibraryMain -Dmapreduce.job.reduces=2 multithreaded $IN/words $OUT/count
