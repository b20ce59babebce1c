# Avro's serialization and comparator; fields that sort downwards and not at all
export HADOOP_CLASSPATH=$AVRO
hadoop jar $JOBS dev.sailfish.jobs.library.LibraryMain -libjars $AVRO -Dmapreduce.job.reduces=2 avro $IN/words $OUT/count
