# Guava, Netty, Protobuf and SLF4J in old versions; mapreduce.job.user.classpath.first=true
hadoop jar $JOBS dev.sailfish.jobs.library.LibraryMain -libjars "$(ls $OLD_LIBRARIES/*.jar | paste -sd,)" \
  -Dmapreduce.job.user.classpath.first=true -Dmapreduce.job.reduces=2 \
  -Down.libraries.com.google.common.base.Splitter=guava-23.0 -Down.libraries.com.google.protobuf.ByteString=protobuf-java-2.6.1 \
  -Down.libraries.io.netty.buffer.ByteBuf=netty-all-4.0.56 -Down.libraries.org.slf4j.Logger=slf4j-api-1.7.5 \
  own-libraries $IN/words $OUT/count
