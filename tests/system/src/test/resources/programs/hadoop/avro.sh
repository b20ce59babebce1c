# Avro's serialization and comparator; fields that sort downwards and not at all
export HADOOP_CLASSPATH=$AVRO
hadoop jar $JOBS dev.sailfish.jobs.library.AvroWordCount -libjars $AVRO -Dmapreduce.job.reduces=2 $IN/words $OUT/count
