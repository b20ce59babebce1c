package dev.sailfish.system.inprocess;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import dev.sailfish.chunkserver.Chunkserver;
import dev.sailfish.chunkserver.ChunkserverMetric;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.system.OutputFiles;
import dev.sailfish.system.SailfishDaemons;
import dev.sailfish.testkit.TestAuthority;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whole jobs over TLS, through proxies that keep every byte between tasks and servers. */
@Timeout(240)
class TlsJobTest {
  private static final String MARKER = "what-nobody-may-read-7c1e";
  private static final Duration DEADLINE = Duration.ofSeconds(60);
  private static final int LINES = 4000;
  private static final String CHUNKSERVER = "sailfish.chunkserver.";
  private static final String METASERVER = "sailfish.metaserver.";

  @TempDir static Path directory;
  private static TestAuthority authority;
  private static Path serverFile;
  private static Path clientFile;
  private static Path mutualClientFile;
  private static Path mutualServerFile;
  private static Path classPath;
  private static int lastJob;

  private final List<RecordingProxy> proxies = new ArrayList<>();

  @BeforeAll
  static void makeKeys() throws IOException {
    authority = TestAuthority.create(Files.createDirectory(directory.resolve("keys")));
    Path keys = authority.issue("server");
    serverFile = authority.serverFile(keys, false);
    clientFile = authority.clientFile();
    mutualServerFile = authority.serverFile(keys, true);
    mutualClientFile = authority.clientFile(authority.issue("task"));
    classPath = Files.createDirectory(directory.resolve("class-path"));
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < LINES; i++) {
      lines.append(MARKER).append(' ').append(i * 7919 % LINES).append('\n');
    }
    Files.writeString(directory.resolve("input"), lines);
  }

  @AfterEach
  void stop() throws IOException {
    for (RecordingProxy proxy : proxies) {
      proxy.close();
    }
  }

  /** Each line is a key; its offset the value. */
  public static final class Lines extends Mapper<LongWritable, Text, Text, LongWritable> {
    /** For Hadoop. */
    public Lines() {}

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      context.write(line, offset);
    }
  }

  private static Map<String, String> settings(Path server, Path client) {
    Map<String, String> settings = new HashMap<>();
    settings.put(CHUNKSERVER + "host", "127.0.0.2");
    settings.put(CHUNKSERVER + "bind", "127.0.0.1");
    if (server != null) {
      settings.putAll(authority.daemon(CHUNKSERVER, server, client));
      settings.put(METASERVER + "tls", "required");
      settings.put(METASERVER + "tls.server.file", server.toString());
    }
    return settings;
  }

  /** Proxies before the servers; the address of the metaserver's. */
  private InetSocketAddress record(SailfishDaemons daemons) throws IOException {
    for (Chunkserver chunkserver : daemons.chunkservers()) {
      int port = chunkserver.port();
      proxies.add(
          RecordingProxy.start("127.0.0.2", port, new InetSocketAddress("127.0.0.1", port)));
    }
    RecordingProxy metaserver = RecordingProxy.start("127.0.0.1", 0, daemons.address());
    proxies.add(metaserver);
    daemons.isAlsoAt(metaserver.address());
    return metaserver.address();
  }

  private static Job job(String name, Path output, Path sslClientFile) throws Exception {
    JobConf conf = new JobConf();
    conf.set("hadoop.tmp.dir", directory.resolve("tmp-" + name).toString());
    conf.setInt(Job.COMPLETION_POLL_INTERVAL_KEY, 10);
    conf.set("sailfish.client.deadline", "10s");
    if (sslClientFile != null) {
      conf.setBoolean("sailfish.tls", true);
      conf.set("hadoop.ssl.client.conf", sslClientFile.getFileName().toString());
    }
    Job job = Job.getInstance(conf);
    job.setMapperClass(Lines.class);
    job.setMapOutputKeyClass(Text.class);
    job.setMapOutputValueClass(LongWritable.class);
    job.setNumReduceTasks(2);
    FileInputFormat.setMaxInputSplitSize(job, 40_000);
    job.getConfiguration()
        .set(FileInputFormat.INPUT_DIR, directory.resolve("input").toUri().toString());
    job.getConfiguration().set(FileOutputFormat.OUTDIR, output.toUri().toString());
    return job;
  }

  /** As in a container: the directory with the file is on the class path. */
  private static void withClassPath(Path file, Action action) throws Exception {
    Files.copy(file, classPath.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    try (URLClassLoader loader =
        new URLClassLoader(new URL[] {classPath.toUri().toURL()}, before)) {
      thread.setContextClassLoader(loader);
      action.run();
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  /** Something that is done meanwhile. */
  private interface Action {
    void run() throws Exception;
  }

  private SortedMap<String, String> run(String name, Path server, Path client, Path sslClientFile)
      throws Exception {
    Path work = Files.createDirectory(directory.resolve(name));
    try (SailfishDaemons daemons = SailfishDaemons.start(work, 2, settings(server, client))) {
      InetSocketAddress metaserver = record(daemons);
      Job job = job(name, work.resolve("output"), sslClientFile);
      InProcessJob.run(
          job,
          metaserver,
          ++lastJob,
          work.resolve("work").toFile(),
          InProcessJob.Timing.PLAIN,
          lastJob);
    }
    return OutputFiles.read(work.resolve("output"));
  }

  @Test
  void nobodyBetweenShouldReadAJobsData() throws Exception {
    SortedMap<String, String> plain = run("plain", null, null, null);
    assertThat(plain).hasSize(2);
    assertThat(proxies).as("bytes in the clear").anyMatch(proxy -> proxy.saw(MARKER));
    assertThat(proxies.get(2).saw("job_1700000000000")).as("names in the clear").isTrue();
    int inTheClear = proxies.stream().mapToInt(RecordingProxy::bytes).sum();
    stop();
    proxies.clear();
    withClassPath(
        clientFile,
        () -> assertThat(run("encrypted", serverFile, clientFile, clientFile)).isEqualTo(plain));
    assertThat(proxies).hasSize(3).noneMatch(proxy -> proxy.saw(MARKER));
    assertThat(proxies).noneMatch(proxy -> proxy.saw("job_1700000000000"));
    assertThat(proxies.stream().mapToInt(RecordingProxy::bytes).sum())
        .as("bytes over the proxies")
        .isGreaterThan(inTheClear);
  }

  /** A drained server's chunks go to another one, which connects as a client. */
  @Test
  void chunksShouldBeHandedOver() throws Exception {
    Path work = Files.createDirectory(directory.resolve("drained"));
    withClassPath(
        clientFile,
        () -> {
          try (SailfishDaemons daemons =
                  SailfishDaemons.start(work, 2, settings(serverFile, clientFile));
              MetaserverClient client = daemons.client()) {
            InetSocketAddress metaserver = record(daemons);
            Job job = job("drained", work.resolve("output"), clientFile);
            String server = "127.0.0.2:" + daemons.chunkservers().get(0).port();
            InProcessJob.runWithLoss(
                job,
                metaserver,
                ++lastJob,
                work.resolve("work").toFile(),
                () -> await().atMost(DEADLINE).until(() -> client.drain(server).getDrained()));
            long copied =
                daemons
                    .chunkservers()
                    .get(1)
                    .metrics()
                    .get(ChunkserverMetric.COPIED_CHUNKS.fullName());
            assertThat(copied).isPositive();
          }
        });
    assertThat(OutputFiles.read(work.resolve("output"))).hasSize(2);
    assertThat(proxies).noneMatch(proxy -> proxy.saw(MARKER));
  }

  @Test
  void tasksAndDaemonsMayNeedCertificates() throws Exception {
    withClassPath(
        mutualClientFile,
        () -> {
          Path work = Files.createDirectory(directory.resolve("mutual"));
          Map<String, String> settings = settings(mutualServerFile, mutualClientFile);
          try (SailfishDaemons daemons = SailfishDaemons.start(work, 1, settings)) {
            InetSocketAddress metaserver = record(daemons);
            Job with = job("mutual", work.resolve("output"), mutualClientFile);
            with.getConfiguration().setBoolean("hadoop.ssl.require.client.cert", true);
            InProcessJob.run(
                with,
                metaserver,
                ++lastJob,
                work.resolve("work").toFile(),
                InProcessJob.Timing.PLAIN,
                lastJob);
            assertThat(OutputFiles.read(work.resolve("output"))).hasSize(2);
            Job without = job("mutual-without", work.resolve("no-output"), mutualClientFile);
            assertFails(without, metaserver, work, "demands one and got none");
          }
        });
  }

  @Test
  void aJobThatDoesNotFitItsServersShouldFailAtOnce() throws Exception {
    withClassPath(
        clientFile,
        () -> {
          Path work = Files.createDirectory(directory.resolve("unfit"));
          try (SailfishDaemons daemons =
              SailfishDaemons.start(work, 1, settings(serverFile, clientFile))) {
            Job plain = job("unfit", work.resolve("output"), null);
            assertFails(plain, daemons.address(), work, "requires TLS");
            Job noFile = job("no-file", work.resolve("output"), clientFile);
            noFile.getConfiguration().set("hadoop.ssl.client.conf", "nowhere.xml");
            assertFails(
                noFile, daemons.address(), work, "ssl.client.truststore.location is not set");
          }
          Path open = Files.createDirectory(directory.resolve("open"));
          try (SailfishDaemons daemons = SailfishDaemons.start(open, 1, settings(null, null))) {
            Job encrypted = job("unfit-tls", open.resolve("output"), clientFile);
            assertFails(encrypted, daemons.address(), open, "does that port speak TLS");
          }
        });
  }

  private static void assertFails(Job job, InetSocketAddress metaserver, Path work, String words) {
    long start = System.nanoTime();
    Throwable failure =
        catchThrowable(
            () ->
                InProcessJob.run(
                    job,
                    metaserver,
                    ++lastJob,
                    work.resolve("failing").toFile(),
                    InProcessJob.Timing.PLAIN,
                    lastJob));
    assertThat(failure).isNotNull().hasStackTraceContaining(words);
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(DEADLINE);
  }
}
