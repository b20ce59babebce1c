package dev.sailfish.system.inprocess;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.chaos.process.DaemonProcess;
import dev.sailfish.ground.config.Settings;
import dev.sailfish.jobs.KeyKind;
import dev.sailfish.jobs.RandomJobSpec;
import dev.sailfish.lineage.hadoop.LineageKey;
import dev.sailfish.lineage.master.LineageMaster;
import dev.sailfish.node.Node;
import dev.sailfish.system.OutputFiles;
import dev.sailfish.system.SailfishDaemons;
import dev.sailfish.system.StockOutput;
import dev.sailfish.testkit.ChildJvm;
import dev.sailfish.testkit.FreePort;
import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A job whose shuffle and whose files are on one node process, which is killed in the middle: its
 * chunkserver finds its chunks again, and its lineage worker its blocks, in the same directories.
 */
@Timeout(300)
class NodeJobTest {
  private static final Duration DEADLINE = Duration.ofSeconds(60);
  private static final String OUT = "/out";

  @TempDir private File temporary;

  private final HttpClient http = HttpClient.newBuilder().connectTimeout(DEADLINE).build();
  private final int chunkserverWebPort = FreePort.next();
  private final int workerWebPort = FreePort.next();
  private SailfishDaemons daemons;
  private LineageMaster master;
  private DaemonProcess node;

  @BeforeEach
  void start() throws Exception {
    daemons = SailfishDaemons.start(temporary.toPath(), 0, Map.of());
    String secret = secret();
    master =
        LineageMaster.start(
            settings(
                "master",
                "sailfish.lineage.master.host=127.0.0.1",
                "sailfish.lineage.master.port=0",
                "sailfish.lineage.master.web.port=0",
                "sailfish.lineage.master.cluster.secret.file=" + secret,
                "sailfish.lineage.master.journal.dir=" + temporary.toPath().resolve("journal")));
    int port = FreePort.next();
    settings(
        "node",
        "sailfish.node.dirs=%s:disktype=MEM:capacity=256m,%s:capacity=4g"
            .formatted(memory(), temporary.toPath().resolve("disk")),
        "sailfish.chunkserver.host=127.0.0.1",
        "sailfish.chunkserver.port=" + port,
        "sailfish.chunkserver.web.port=" + chunkserverWebPort,
        "sailfish.chunkserver.cluster.secret.file=" + secret,
        "sailfish.chunkserver.metaserver.address=127.0.0.1:" + daemons.address().getPort(),
        "sailfish.lineage.worker.host=127.0.0.1",
        "sailfish.lineage.worker.port=" + FreePort.next(),
        "sailfish.lineage.worker.web.port=" + workerWebPort,
        "sailfish.lineage.worker.cluster.secret.file=" + secret,
        "sailfish.lineage.worker.heartbeat=100ms",
        "sailfish.lineage.worker.master.address=127.0.0.1:" + master.port());
    var log = temporary.toPath().resolve("node.log");
    Process process =
        new ProcessBuilder(
                ChildJvm.command(
                    Node.class,
                    List.of("-Xmx256m", "-XX:+UseSerialGC"),
                    temporary.toPath().resolve("node").toString()))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    node =
        new DaemonProcess(
            "node",
            new InetSocketAddress("127.0.0.1", port),
            process.pid(),
            log,
            () -> isReady(chunkserverWebPort) && isReady(workerWebPort));
    await("the node serves").atMost(DEADLINE).until(node::serves);
  }

  /** That of the cluster, where {@link SailfishDaemons} has put it. */
  private String secret() throws IOException {
    try (var files = Files.walk(temporary.toPath(), 2)) {
      return files.filter(file -> file.endsWith("secret")).findFirst().orElseThrow().toString();
    }
  }

  private String memory() {
    return temporary.toPath().resolve("memory").toString();
  }

  private Settings settings(String name, String... lines) throws IOException {
    return Settings.read(Files.write(temporary.toPath().resolve(name), List.of(lines)));
  }

  private boolean isReady(int webPort) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + webPort + "/ready"))
            .timeout(DEADLINE)
            .build();
    try {
      return http.send(request, HttpResponse.BodyHandlers.ofString()).body().equals("ready\n");
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @AfterEach
  void stop() throws Exception {
    if (node != null) {
      node.end("TERM");
    }
    master.close();
    daemons.close();
  }

  @Test
  void shuffleAndFilesOutliveAKillOfTheNode() throws Exception {
    RandomJobSpec spec = spec();
    Job job = job(spec);
    Configuration conf = job.getConfiguration();
    byte[] content = "a file in memory".getBytes(StandardCharsets.US_ASCII);
    Path file = new Path(store() + "/file");
    try (FileSystem store = FileSystem.newInstance(URI.create(store()), conf)) {
      try (FSDataOutputStream out = store.create(file)) {
        out.write(content);
      }
      Set<TaskAttemptID> lost =
          InProcessJob.runWithLoss(
              job,
              daemons.address(),
              1,
              temporary.toPath().resolve("work").toFile(),
              () -> {
                assertThat(inMemory()).anyMatch(name -> name.contains("chunkserver"));
                assertThat(inMemory()).anyMatch(name -> name.contains("worker"));
                killAndStart();
              });
      assertThat(lost).as("maps that ran again of %s", spec).isEmpty();
      killAndStart();
      try (FSDataInputStream in = store.open(file)) {
        assertThat(in.readAllBytes()).isEqualTo(content);
      }
      var out = temporary.toPath().resolve("sailfish");
      store.copyToLocalFile(new Path(store() + OUT), new Path(out.toUri()));
      assertThat(OutputFiles.read(out))
          .as("%s", spec)
          .isNotEmpty()
          .isEqualTo(StockOutput.of(spec, temporary.toPath().resolve("stock")));
    }
  }

  private void killAndStart() throws IOException, InterruptedException {
    node.end("KILL");
    node.start();
  }

  /** Names of the files in the memory of the node. */
  private List<String> inMemory() throws IOException {
    try (var files = Files.list(temporary.toPath().resolve("memory").resolve("segments"))) {
      return files.map(path -> path.getFileName().toString()).toList();
    }
  }

  private String store() {
    return "lineage://127.0.0.1:" + master.port();
  }

  private static RandomJobSpec spec() {
    long first = Long.getLong("sailfish.seed", System.nanoTime());
    System.out.println("NodeJobTest seed=" + first);
    SplittableRandom random = new SplittableRandom(first);
    while (true) {
      RandomJobSpec spec = RandomJobSpec.ofSeed(random.nextLong());
      boolean several = spec.maps() >= 3 && spec.maps() <= 8 && spec.reduces() >= 2;
      if (several && spec.keyKind() != KeyKind.NULL && spec.recordsPerMap() > 1000) {
        return spec;
      }
    }
  }

  private Job job(RandomJobSpec spec) throws Exception {
    JobConf conf = new JobConf();
    conf.set("hadoop.tmp.dir", temporary.toPath().resolve("tmp").toString());
    conf.set(LineageKey.ALL.prefix() + "cluster.secret.file", secret().toString());
    conf.set(LineageKey.ALL.prefix() + "hosts", "127.0.0.1");
    conf.set(LineageKey.ALL.prefix() + "superuser", System.getProperty("user.name"));
    Job job = Job.getInstance(conf);
    spec.configure(job);
    job.getConfiguration().set(FileOutputFormat.OUTDIR, store() + OUT);
    return job;
  }
}
