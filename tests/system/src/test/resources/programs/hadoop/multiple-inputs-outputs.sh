# MultipleInputs and MultipleOutputs
hadoop jar $JOBS dev.sailfish.jobs.library.LibraryMain -Dmapreduce.job.reduces=2 several-paths $IN/words $IN/left $OUT/several
