package dev.sailfish.system.understore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sailfish.ground.config.Settings;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.lineage.client.FileInput;
import dev.sailfish.lineage.client.FileOutput;
import dev.sailfish.lineage.client.StoreClient;
import dev.sailfish.lineage.client.StoreClientConfig;
import dev.sailfish.lineage.master.LineageMaster;
import dev.sailfish.lineage.master.LineageMasterKey;
import dev.sailfish.lineage.protocol.wire.CreateFile;
import dev.sailfish.lineage.protocol.wire.ReadMode;
import dev.sailfish.lineage.protocol.wire.StoreUser;
import dev.sailfish.lineage.protocol.wire.WriteMode;
import dev.sailfish.lineage.worker.LineageWorker;
import dev.sailfish.lineage.worker.LineageWorkerKey;
import dev.sailfish.system.programs.HdfsCluster;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Files of the lineage store under a mount of HDFS, written and read in all ways. */
@Seeded
@Timeout(180)
class MountedHdfsTest {
  private static final int BLOCK = 1 << 20;
  private static final Duration SOON = Duration.ofSeconds(60);

  @TempDir private static java.nio.file.Path temporary;
  private static HdfsCluster hdfs;
  private static FileSystem below;
  private static LineageMaster master;
  private static LineageWorker worker;
  private static StoreClient client;

  @BeforeAll
  static void start() throws Exception {
    hdfs = HdfsCluster.start(temporary.resolve("hdfs"));
    below = FileSystem.newInstance(URI.create(hdfs.address()), new Configuration());
    master =
        LineageMaster.start(
            settings(
                LineageMasterKey.ALL.prefix(),
                Map.of(
                    "host", "127.0.0.1",
                    "port", "0",
                    "web.port", "0",
                    "authentication", "none",
                    "client.lease", "4s",
                    "journal.dir", temporary.resolve("journal").toString())));
    worker =
        LineageWorker.start(
            settings(
                LineageWorkerKey.ALL.prefix(),
                Map.of(
                    "host", "localhost",
                    "bind", "127.0.0.1",
                    "port", "0",
                    "web.port", "0",
                    "authentication", "none",
                    "heartbeat", "50ms",
                    "copy.silence", "200ms",
                    "master.address", "127.0.0.1:" + master.port(),
                    "dirs", temporary.resolve("worker") + ":capacity=64m")));
    await()
        .atMost(SOON)
        .until(() -> worker.metrics().get("sailfish_lineage_worker_heartbeats_total") > 0);
    client = client();
    client.mounts().add("/m " + hdfs.address() + "/root sync=0s buffer=256k cache.block.size=1m");
  }

  private static Settings settings(String prefix, Map<String, String> values) throws IOException {
    java.nio.file.Path file = Files.createTempFile(temporary, "daemon", ".properties");
    Files.write(
        file,
        values.entrySet().stream().map(e -> prefix + e.getKey() + "=" + e.getValue()).toList());
    return Settings.read(file);
  }

  private static StoreClient client() {
    String user = System.getProperty("user.name");
    return new StoreClient(
        new StoreClientConfig(
            List.of(new InetSocketAddress("127.0.0.1", master.port())),
            Network.SOCKETS,
            Credentials.none(),
            StoreUser.newBuilder().setName(user).setSuperuser(true).build(),
            Set.of("localhost"),
            StoreClientConfig.DEFAULT_BUFFER_BYTES,
            Duration.ofSeconds(30)));
  }

  @AfterAll
  static void stop() throws Exception {
    client.close();
    worker.close();
    master.close();
    below.close();
    HdfsCluster.stop(hdfs);
  }

  private static FileOutput create(StoreClient by, String path, WriteMode mode) throws IOException {
    return by.create(
        CreateFile.newBuilder()
            .setPath(path)
            .setMode(0644)
            .setMakeParents(true)
            .setParentMode(0755)
            .setBlockSizeLog(20)
            .setWriteMode(mode)
            .build());
  }

  private static byte[] read(String path, ReadMode mode) throws IOException {
    try (FileInput in = client.open(path, mode)) {
      return in.readAllBytes();
    }
  }

  private static byte[] readBelow(String path) throws IOException {
    try (FSDataInputStream in = below.open(new Path("/root" + path))) {
      return in.readAllBytes();
    }
  }

  private static void free(String path) throws IOException {
    client.mounts().free(path);
    await().atMost(SOON).until(() -> worker.metrics().get("sailfish_lineage_worker_blocks") == 0);
  }

  @ParameterizedTest
  @EnumSource(names = {"WRITE_MEMORY", "WRITE_BYPASS", "WRITE_THROUGH"})
  void shouldReadInThreeWaysWhatWasWritten(WriteMode mode, SplittableRandom random)
      throws Exception {
    for (int length : new int[] {0, 1, BLOCK, 3 * BLOCK + 77}) {
      byte[] content = TestBytes.random(random, length);
      String name = "/" + mode + "/" + length;
      try (FileOutput out = create(client, "/m" + name, mode)) {
        out.write(content);
      }
      if (mode == WriteMode.WRITE_MEMORY) {
        assertThat(below.exists(new Path("/root" + name))).isFalse();
        assertThat(client.copy("/m" + name).failures()).isEmpty();
      }
      assertThat(readBelow(name)).isEqualTo(content);
      free("/m" + name);
      assertThat(read("/m" + name, ReadMode.READ_DIRECT)).isEqualTo(content);
      if (length > 0) {
        assertThatThrownBy(() -> read("/m" + name, ReadMode.READ_MEMORY))
            .hasMessageContaining("is not in memory");
      }
      assertThat(read("/m" + name, ReadMode.READ_MIXED)).isEqualTo(content);
      await("what was read mixed is in memory, a little later")
          .ignoreExceptionsInstanceOf(IOException.class)
          .untilAsserted(
              () -> assertThat(read("/m" + name, ReadMode.READ_MEMORY)).isEqualTo(content));
      free("/m/" + mode);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"WRITE_BYPASS", "WRITE_THROUGH"})
  void shouldLeaveNothingOfADeadWriter(WriteMode mode, SplittableRandom random) throws Exception {
    Path directory = new Path("/root/dead-" + mode);
    StoreClient dying = client();
    FileOutput out = create(dying, "/m/dead-" + mode + "/file", mode);
    out.write(TestBytes.random(random, 2 * BLOCK));
    await()
        .atMost(SOON)
        .until(() -> below.exists(directory) && below.listStatus(directory).length > 0);
    dying.close();
    await().atMost(SOON).until(() -> below.listStatus(directory).length == 0);
  }

  @Test
  void shouldNoticeThatTheFileBelowIsAnother(SplittableRandom random) throws Exception {
    Path file = new Path("/root/changing");
    byte[] one = TestBytes.random(random, 3 * BLOCK);
    byte[] two = TestBytes.random(random, 3 * BLOCK);
    writeBelow(file, one);
    try (FileInput in = client.open("/m/changing", ReadMode.READ_DIRECT)) {
      assertThat(in.read()).isEqualTo(one[0] & 0xff);
      writeBelow(file, two);
      in.seek(2 * BLOCK + 1);
      assertThatThrownBy(in::readAllBytes).hasMessageContaining("open it again");
    }
    assertThat(Arrays.equals(read("/m/changing", ReadMode.READ_DIRECT), two)).isTrue();
  }

  private static void writeBelow(Path file, byte[] content) throws IOException {
    try (FSDataOutputStream out = below.create(file, true)) {
      out.write(content);
    }
  }
}
