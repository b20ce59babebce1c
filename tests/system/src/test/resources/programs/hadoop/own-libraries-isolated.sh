# Guava, Netty, Protobuf and SLF4J in old versions; mapreduce.job.classloader=true
hadoop jar $JOBS dev.sailfish.jobs.library.LibraryMain -libjars "$(ls $OLD_LIBRARIES/*.jar | paste -sd,)" \
  -Dmapreduce.job.classloader=true -Dmapreduce.job.reduces=2 \
  -Down.libraries.com.google.common.base.Splitter=guava-23.0 -Down.libraries.com.google.protobuf.ByteString=protobuf-java-2.6.1 \
  -Down.libraries.io.netty.buffer.ByteBuf=netty-all-4.0.56 \
  own-libraries $IN/words $OUT/count
