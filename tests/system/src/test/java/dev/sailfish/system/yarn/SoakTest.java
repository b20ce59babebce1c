package dev.sailfish.system.yarn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.chunkserver.ChunkserverMetric;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.ground.server.metrics.ProcessMetric;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.secret.ClusterSecret;
import dev.sailfish.iappender.Iappender;
import dev.sailfish.iappender.IappenderConfig;
import dev.sailfish.iappender.IfileSpec;
import dev.sailfish.imerger.Imerger;
import dev.sailfish.imerger.ImergerConfig;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.system.SailfishCommand;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.SeedExtension;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Jobs at full speed, one after the other in several threads, with readers that are slow, for
 * {@code -Dsailfish.soak.minutes} (30 unless told): the daemons, real processes, stay below what
 * they were measured to take and a third more, on the heap and beside it. Their memory over time is
 * written to {@code target/soak.csv}.
 */
@Tag("long")
@ExtendWith(SeedExtension.class)
class SoakTest {
  private static final Duration SOAK =
      Duration.ofMinutes(Long.getLong("sailfish.soak.minutes", 30));
  private static final Duration START = Duration.ofMinutes(4);
  private static final Duration DEADLINE = Duration.ofSeconds(60);
  private static final Duration SAMPLE = Duration.ofSeconds(5);
  private static final Path REPORT = Path.of("target/soak.csv");
  private static final int THREADS = 3;
  private static final int PARTITIONS = 16;
  private static final int MAPS = 4;
  private static final int RECORDS_PER_MAP = 120_000;
  private static final int KEY_BYTES = 10;
  private static final int VALUE_BYTES = 190;
  private static final int SLOW_EVERY = 2000;
  private static final long SLOW_NS = 5_000_000;

  private static final long MEMORY_TIER = 192L << 20;
  private static final long SORTER_MEMORY = 64L << 20;
  private static final long SEGMENT_HEADERS = 8L << 20;

  /**
   * The most of each figure, in MiB, that 30 minutes have shown (docs/RELIABILITY.md). A third more
   * is the limit: a JVM's heap limit would let it take twice as much before anybody sees it.
   */
  private static final Map<String, Integer> CHUNKSERVER_MIB =
      Map.of(
          "process_resident_memory_bytes",
          412,
          ProcessMetric.ANONYMOUS_BYTES.fullName(),
          233,
          "jvm_buffer_pool_used_bytes{pool=\"direct\"}",
          71);

  private static final Map<String, Integer> METASERVER_MIB =
      Map.of(
          "process_resident_memory_bytes", 379,
          "jvm_memory_used_bytes{area=\"heap\"}", 185,
          "jvm_buffer_pool_used_bytes{pool=\"direct\"}", 43);

  private static final KeyOrder ORDER = KeyOrder.normalized(KeyEncoding.RAW);
  private static final Pattern METRIC = Pattern.compile("(?m)^(\\w+(?:\\{.*\\})?) ([-+.E\\d]+)$");

  @TempDir Path temporary;

  private final HttpClient http = HttpClient.newHttpClient();
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong jobs = new AtomicLong();
  private final TreeMap<String, TreeMap<String, Long>> highest = new TreeMap<>();
  private InetSocketAddress metaserver;
  private Credentials cluster;
  private byte[] secret;

  /** A daemon's name and its web address. */
  private record DaemonProcess(String name, URI metrics) {}

  @Test
  void memoryShouldStayBelowItsLimits(Seed seed) throws Exception {
    SailfishCommand sailfish = new SailfishCommand(temporary);
    sailfish.succeed(
        START,
        "start",
        "--no-web",
        "--lineage-workers=0",
        "-D",
        "sailfish.chunkserver.memory.size=" + MEMORY_TIER,
        "-D",
        "sailfish.chunkserver.sorter.memory=" + SORTER_MEMORY);
    try {
      Path conf = temporary.resolve("cluster/conf");
      metaserver = new InetSocketAddress("127.0.0.1", port(conf, "metaserver", "port"));
      secret = ClusterSecret.read("secret", sailfish.secret());
      cluster = Credentials.ofCluster(secret);
      soak(seed, daemons(conf));
      try (MetaserverClient client =
          MetaserverClient.connect(metaserver, "soak", cluster, DEADLINE)) {
        assertThat(client.listJobs().getJobsCount()).isZero();
      }
    } finally {
      sailfish.succeed(START, "stop");
    }
    System.out.printf(
        "SoakTest %s: jobs=%d MB=%d, most of each: %s%n",
        SOAK, jobs.get(), bytes.get() >> 20, highest);
    for (String server : List.of("chunkserver-1", "chunkserver-2")) {
      assertThat(highest(server, ProcessMetric.SHARED_MEMORY_BYTES.fullName()))
          .isLessThanOrEqualTo(MEMORY_TIER + SEGMENT_HEADERS);
      assertThat(highest(server, ChunkserverMetric.MEMORY_USED_BYTES.fullName()))
          .isLessThanOrEqualTo(MEMORY_TIER);
      checkLimits(server, CHUNKSERVER_MIB);
    }
    checkLimits("metaserver", METASERVER_MIB);
  }

  private void checkLimits(String daemon, Map<String, Integer> measuredMib) {
    measuredMib.forEach(
        (figure, mib) ->
            assertThat(highest(daemon, figure))
                .as(
                    "%s of %s: measured are %d MiB, and a third more is the limit",
                    figure, daemon, mib)
                .isLessThanOrEqualTo(((long) mib << 20) * 4 / 3));
  }

  private long highest(String daemon, String label) {
    return highest.get(daemon).get(label);
  }

  private static List<DaemonProcess> daemons(Path conf) throws IOException {
    List<DaemonProcess> daemons = new ArrayList<>();
    for (String name : List.of("metaserver", "chunkserver-1", "chunkserver-2")) {
      int port = port(conf, name, "web.port");
      daemons.add(new DaemonProcess(name, URI.create("http://127.0.0.1:" + port + "/metrics")));
    }
    return daemons;
  }

  private static int port(Path conf, String daemon, String key) throws IOException {
    Matcher matcher =
        Pattern.compile("(?m)^sailfish\\.\\w+\\." + Pattern.quote(key) + "=(\\d+)$")
            .matcher(Files.readString(conf.resolve(daemon + ".properties")));
    assertThat(matcher.find()).as("%s of %s", key, daemon).isTrue();
    return Integer.parseInt(matcher.group(1));
  }

  private void soak(Seed seed, List<DaemonProcess> daemons) throws Exception {
    long startNs = System.nanoTime();
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int thread = 0; thread < THREADS; thread++) {
        int number = thread;
        SplittableRandom random = seed.derive("thread" + thread).splittable();
        running.add(threads.submit(() -> runJobs(number, startNs, random)));
      }
      StringBuilder report = new StringBuilder("second,daemon,figure,bytes\n");
      for (Future<?> future : running) {
        while (!future.isDone()) {
          sample(daemons, startNs, report);
          LockSupport.parkNanos(SAMPLE.toNanos());
        }
        future.get(1, TimeUnit.SECONDS);
      }
      Files.createDirectories(REPORT.getParent());
      Files.writeString(REPORT, report);
    } finally {
      threads.shutdownNow();
    }
  }

  private void sample(List<DaemonProcess> daemons, long startNs, StringBuilder report)
      throws Exception {
    long second = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startNs);
    for (DaemonProcess daemon : daemons) {
      HttpRequest request = HttpRequest.newBuilder(daemon.metrics()).timeout(DEADLINE).build();
      Matcher matcher =
          METRIC.matcher(http.send(request, HttpResponse.BodyHandlers.ofString()).body());
      Map<String, Long> most = highest.computeIfAbsent(daemon.name(), name -> new TreeMap<>());
      while (matcher.find()) {
        String label = matcher.group(1);
        if (label.matches(
            "((sailfish_)?process|jvm|sailfish_chunkserver_memory)_.*_bytes(\\{.*)?")) {
          long value = (long) Double.parseDouble(matcher.group(2));
          most.merge(label, value, Math::max);
          report.append(second).append(',').append(daemon.name()).append(',').append(label);
          report.append(',').append(value).append('\n');
        }
      }
    }
  }

  /**
   * Runs whole jobs until the time is over: maps at full speed, then readers, some of them slow.
   */
  private Void runJobs(int thread, long startNs, SplittableRandom random) throws IOException {
    for (int job = 0; System.nanoTime() - startNs < SOAK.toNanos(); job++) {
      String name = "soak_" + thread + "_" + job;
      IfileSpec spec = new IfileSpec(name, PARTITIONS, ORDER, CodecId.NONE);
      for (int map = 0; map < MAPS; map++) {
        append(spec, map, random);
      }
      int[] winners = new int[2 * MAPS];
      for (int map = 0; map < MAPS; map++) {
        winners[2 * map] = map;
      }
      long records = 0;
      for (int partition = 0; partition < PARTITIONS; partition++) {
        records += read(name, partition, winners, partition % 4 == 0);
      }
      assertThat(records).isEqualTo((long) MAPS * RECORDS_PER_MAP);
      try (MetaserverClient client =
          MetaserverClient.connect(metaserver, "soak", cluster, DEADLINE)) {
        client.deleteJob(name);
      }
      jobs.incrementAndGet();
    }
    return null;
  }

  private Credentials task(String job) {
    return Credentials.ofJob(job, job.getBytes(StandardCharsets.UTF_8)).admittedBy(secret, "soak");
  }

  private void append(IfileSpec spec, int map, SplittableRandom random) throws IOException {
    IappenderConfig config =
        new IappenderConfig(
            List.of(metaserver),
            "127.0.0.1",
            "soak",
            32 << 20,
            256 << 10,
            0,
            DEADLINE,
            16 << 20,
            task(spec.job()));
    byte[] key = new byte[KEY_BYTES];
    byte[] value = new byte[VALUE_BYTES];
    random.nextBytes(value);
    try (Iappender appender = Iappender.open(config, spec, map, 0)) {
      for (int i = 0; i < RECORDS_PER_MAP; i++) {
        random.nextBytes(key);
        int partition = random.nextInt(PARTITIONS);
        appender.append(partition, key, 0, KEY_BYTES, value, 0, VALUE_BYTES);
      }
      appender.commit();
    }
    bytes.addAndGet((long) RECORDS_PER_MAP * (KEY_BYTES + VALUE_BYTES));
  }

  private long read(String job, int partition, int[] winners, boolean slow) throws IOException {
    ImergerConfig config =
        new ImergerConfig(List.of(metaserver), 16 << 20, temporary, DEADLINE, task(job));
    long records = 0;
    try (Imerger imerger = Imerger.open(config, job, partition, ORDER, "soak")) {
      imerger.start(winners);
      while (imerger.next()) {
        records++;
        if (slow && records % SLOW_EVERY == 0) {
          LockSupport.parkNanos(SLOW_NS); // a reducer that is busy with what it has read
        }
      }
    }
    return records;
  }
}
