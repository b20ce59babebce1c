package dev.sailfish.benchmarks.start;

import dev.sailfish.chunkserver.Chunkserver;
import dev.sailfish.chunkserver.ChunkserverConfig;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.secret.ClusterSecret;
import dev.sailfish.metaserver.Metaserver;
import dev.sailfish.metaserver.MetaserverConfig;
import dev.sailfish.metaserver.MetaserverKey;
import dev.sailfish.protocol.client.MetaserverClient;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * A metaserver and a chunkserver, warm: they have served some jobs before the port of the
 * metaserver is printed, the one line. The last of these jobs stays, sorted. They end with their
 * input, so that they do not outlive who started them.
 */
final class ServersMain {
  /** The job that can be read. */
  static final String READABLE_JOB = "job_readable";

  /** The job that is appended to. */
  static final String MEASURED_JOB = "job_measured";

  private static final int WARMUP_JOBS = 50;

  private ServersMain() {}

  public static void main(String[] args) throws IOException {
    PrintStream out = System.out;
    System.setOut(System.err); // where the log goes
    String prefix = MetaserverKey.PREFIX;
    Path directory = Files.createTempDirectory("sailfish-start-benchmark");
    Path secret = directory.resolve("secret");
    ClusterSecret.create(secret);
    byte[] clusterSecret = ClusterSecret.read("secret", secret);
    Map<String, String> settings =
        Map.of(
            prefix + "host", "127.0.0.1",
            prefix + "port", "0",
            prefix + "web.port", "0",
            prefix + "journal.dir", "none",
            prefix + "cluster.secret.file", secret.toString());
    try (Metaserver metaserver = Metaserver.start(MetaserverConfig.of(settings))) {
      Chunkserver chunkserver = startChunkserver(metaserver.port(), secret);
      Files.delete(secret);
      Files.delete(directory);
      try {
        warmUp(new InetSocketAddress("127.0.0.1", metaserver.port()), clusterSecret);
        out.println(metaserver.port());
        System.in.transferTo(OutputStream.nullOutputStream());
      } finally {
        chunkserver.close();
      }
    }
  }

  private static Chunkserver startChunkserver(int metaserverPort, Path secret) throws IOException {
    String prefix = ChunkserverConfig.PREFIX;
    return Chunkserver.start(
        ChunkserverConfig.of(
            Map.of(
                prefix + "host", "127.0.0.1",
                prefix + "bind", "127.0.0.1",
                prefix + "port", "0",
                prefix + "web.port", "0",
                prefix + "metaserver.address", "127.0.0.1:" + metaserverPort,
                prefix + "memory.dir", "/dev/shm/sailfish-start-benchmark",
                prefix + "keep.chunks", "false",
                prefix + "cluster.secret.file", secret.toString())));
  }

  private static void warmUp(InetSocketAddress metaserver, byte[] secret) throws IOException {
    Credentials cluster = Credentials.ofCluster(secret);
    try (MetaserverClient client =
        MetaserverClient.connect(metaserver, "benchmark", cluster, Duration.ofSeconds(30))) {
      for (int i = 0; i < WARMUP_JOBS; i++) {
        String job = "job_" + i;
        first(metaserver, job, secret);
        OneRecordJob.read(metaserver, job);
        client.deleteJob(job);
      }
    }
    first(metaserver, MEASURED_JOB, secret);
    first(metaserver, READABLE_JOB, secret);
    OneRecordJob.read(metaserver, READABLE_JOB);
  }

  /** What the first task of a job does. */
  private static void first(InetSocketAddress metaserver, String job, byte[] secret)
      throws IOException {
    OneRecordJob.append(
        metaserver, job, OneRecordJob.credentials(job).admittedBy(secret, "benchmark"));
  }
}
