# MultipleInputs and MultipleOutputs
hadoop jar $JOBS dev.sailfish.jobs.library.SeveralPaths -Dmapreduce.job.reduces=2 $IN/words $IN/left $OUT/several
