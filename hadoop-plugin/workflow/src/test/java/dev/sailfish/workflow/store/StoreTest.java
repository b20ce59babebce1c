package dev.sailfish.workflow.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sailfish.ground.config.Settings;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.lineage.client.FileOutput;
import dev.sailfish.lineage.client.NamespaceClient;
import dev.sailfish.lineage.client.StoreClient;
import dev.sailfish.lineage.client.StoreClientConfig;
import dev.sailfish.lineage.master.LineageMaster;
import dev.sailfish.lineage.master.LineageMasterKey;
import dev.sailfish.lineage.protocol.wire.CreateDependency;
import dev.sailfish.lineage.protocol.wire.CreateFile;
import dev.sailfish.lineage.protocol.wire.DependencyInput;
import dev.sailfish.lineage.protocol.wire.DependencyOutput;
import dev.sailfish.lineage.protocol.wire.DependencyRecord;
import dev.sailfish.lineage.protocol.wire.DependencyType;
import dev.sailfish.lineage.protocol.wire.LostFile;
import dev.sailfish.lineage.protocol.wire.StoreUser;
import dev.sailfish.lineage.worker.LineageWorker;
import dev.sailfish.lineage.worker.LineageWorkerKey;
import dev.sailfish.workflow.step.LostProgramException;
import dev.sailfish.workflow.step.Programs;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the manager asks and tells a store, with a real master and a real worker. */
@Timeout(120)
class StoreTest {
  private static final Duration LEASE = Duration.ofSeconds(5);
  private static final String LOCK = "/.sailfish-workflow";

  @TempDir private Path directory;
  private LineageMaster master;
  private LineageWorker worker;
  private StoreClient client;
  private LineageLink store;

  @BeforeEach
  void start() throws IOException {
    master =
        LineageMaster.start(
            settings(
                LineageMasterKey.ALL.prefix(),
                Map.of(
                    "host",
                    "127.0.0.1",
                    "port",
                    "0",
                    "worker.lease",
                    LEASE.toSeconds() + "s",
                    "client.lease",
                    LEASE.toSeconds() + "s",
                    "journal.dir",
                    directory.resolve("journal"))));
    worker =
        LineageWorker.start(
            settings(
                LineageWorkerKey.ALL.prefix(),
                Map.of(
                    "host", "127.0.0.1",
                    "port", "0",
                    "heartbeat", "50ms",
                    "master.address", "127.0.0.1:" + master.port(),
                    "dirs", directory.resolve("blocks") + ":capacity=100m")));
    await("the master knows the worker")
        .atMost(Duration.ofSeconds(30))
        .until(() -> worker.metrics().get("sailfish_lineage_worker_heartbeats_total") > 1);
    client = new StoreClient(config());
    store = new LineageLink(client);
  }

  @AfterEach
  void stop() throws IOException {
    client.close();
    worker.close();
    master.close();
  }

  private static Settings settings(String prefix, Map<String, Object> own) {
    Map<String, Object> all = new HashMap<>(own);
    all.put("authentication", "none");
    all.put("web.port", "0");
    return Settings.of(
        all.entrySet().stream()
            .collect(Collectors.toMap(one -> prefix + one.getKey(), one -> "" + one.getValue())));
  }

  private StoreClientConfig config() {
    return new StoreClientConfig(
        List.of(new InetSocketAddress("127.0.0.1", master.port())),
        Network.SOCKETS,
        Credentials.none(),
        StoreUser.newBuilder().setName("sailfish").setSuperuser(true).build(),
        Set.of(),
        StoreClientConfig.DEFAULT_BUFFER_BYTES,
        Duration.ofSeconds(10));
  }

  private long write(String path) throws IOException {
    FileOutput out =
        client.create(
            CreateFile.newBuilder().setPath(path).setMode(0644).setBlockSizeLog(20).build());
    try (out) {
      out.write(new byte[1_000]);
    }
    return out.fid();
  }

  private long record(long input, long output) throws IOException {
    Path program = Files.write(directory.resolve("job.jar"), new byte[] {1});
    return client
        .lineage()
        .create(
            CreateDependency.newBuilder()
                .setType(DependencyType.DEPENDENCY_WIDE)
                .addInputs(DependencyInput.newBuilder().setFid(input))
                .addOutputs(DependencyOutput.newBuilder().setFid(output))
                .addPrograms(client.lineage().upload(program))
                .build());
  }

  @Test
  void lostFilesAndTheirRecords() throws IOException {
    long raw = write("/raw");
    long out = write("/out");
    long record = record(raw, out);
    assertThat(store.lost()).isEmpty();
    assertThat(store.maker(out).orElseThrow().getId()).isEqualTo(record);
    assertThat(store.maker(raw)).isEmpty();
    assertThat(store.record(record)).isPresent();
    assertThat(store.record(record + 1)).isEmpty();
    assertThat(store.isThere(raw)).isTrue();
    assertThat(store.isThere(out + 1)).as("none of this id").isFalse();
    assertThat(store.after(0).getDependenciesList()).hasSize(1);
    assertThat(store.after(record).getDependenciesList()).isEmpty();
    worker.close();
    await("it is lost").atMost(Duration.ofSeconds(30)).until(() -> store.lost().size() == 1);
    assertThat(store.isThere(raw)).isFalse();
    client.lineage().want(out, "application_1_2");
    store.report(record, "well");
    assertThat(client.lineage().want(out, "").getProgress()).isEqualTo("well");
    store.giveUp(out, "because");
    LostFile lost = store.lost().get(0);
    assertThat(lost.getPath()).isEqualTo("/out");
    assertThat(lost.getWaitingList()).contains("application_1_2");
    assertThat(lost.getGivenUp()).isEqualTo("because");
    store.giveUp(out, "");
    assertThat(store.lost().get(0).getGivenUp()).isEmpty();
    store.giveUp(raw, "it has no record: let pass");
  }

  @Test
  void oneHoldsTheLockUntilItIsSilent() throws IOException {
    try (NamespaceClient first = new NamespaceClient(config(), 1);
        NamespaceClient second = new NamespaceClient(config(), 2)) {
      StoreLock held = new StoreLock(first, LOCK);
      StoreLock other = new StoreLock(second, LOCK);
      assertThat(held.keep()).isFalse();
      assertThat(held.take()).isTrue();
      assertThat(other.take()).isFalse();
      assertThat(held.keep()).isTrue();
      assertThat(held.take()).as("given up while the store was silent").isTrue();
      assertThat(other.take()).isFalse();
      assertThat(held.keep()).isTrue();
      held.release();
      held.release();
      assertThat(other.take()).isTrue();
      assertThat(held.keep()).isFalse();
      await("the other one was silent for its lease")
          .atMost(LEASE.multipliedBy(10))
          .until(held::take);
      assertThat(other.keep()).isFalse();
      client.namespace().delete(LOCK, false);
      assertThat(held.keep()).as("somebody has deleted it").isFalse();
      assertThat(held.take()).isTrue();
    }
  }

  @Test
  void aProgramThatIsTooLongIsNotHeldInMemory() throws IOException {
    Path program = Files.write(directory.resolve("job.xml"), new byte[(16 << 20) + 1]);
    DependencyRecord record =
        DependencyRecord.newBuilder()
            .setOwner("sailfish")
            .addPrograms(client.lineage().upload(program))
            .build();
    Programs programs = new Programs(client.lineage(), record);
    programs.check();
    assertThatThrownBy(() -> programs.bytes("job.xml"))
        .isInstanceOf(LostProgramException.class)
        .hasMessageContaining("job.xml has more than 16777216 bytes");
  }
}
