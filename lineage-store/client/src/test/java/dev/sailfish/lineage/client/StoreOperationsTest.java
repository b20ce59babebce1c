package dev.sailfish.lineage.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sailfish.lineage.protocol.wire.BalanceResponse;
import dev.sailfish.lineage.protocol.wire.OpenFileResponse;
import dev.sailfish.lineage.protocol.wire.Refusal;
import dev.sailfish.lineage.protocol.wire.ReportResponse;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Pins, times to live, shares of memory, drains and balancing, with a master and real workers. */
@Seeded
@Timeout(120)
class StoreOperationsTest {
  private static final int BLOCK = TestStore.BLOCK;
  private static final int MEMORY = 0;
  private static final int TIER_MASK = 3;

  @TempDir private Path directory;
  private TestStore store;
  private StoreClient client;

  @BeforeEach
  void start() throws IOException {
    store = new TestStore(directory);
    client = store.client(Set.of());
  }

  @AfterEach
  void stop() throws IOException {
    store.close();
  }

  private static ConditionFactory within(String what) {
    return await(what).atMost(Duration.ofSeconds(60));
  }

  private void startWithDisk(int number, String... settings) throws IOException {
    String[] all = new String[settings.length + 4];
    System.arraycopy(settings, 0, all, 0, settings.length);
    all[settings.length + 2] = "scrub"; // which uses a block
    all[settings.length + 3] = "1h";
    all[settings.length] = "dirs";
    all[settings.length + 1] =
        "%s:disktype=MEM:capacity=20m,%s:capacity=200m"
            .formatted(store.memory(number), directory.resolve("disk-" + number));
    store.startWorker(number, all);
  }

  private static byte[] write(StoreClient by, String path, Random random) throws IOException {
    byte[] content = new byte[BLOCK];
    random.nextBytes(content);
    try (FileOutput out = by.create(TestStore.file(path))) {
      out.write(content);
    }
    return content;
  }

  private byte[] read(String path) throws IOException {
    try (FileInput in = client.open(path)) {
      return in.readAllBytes();
    }
  }

  private Set<Integer> places(String path) throws IOException {
    OpenFileResponse opened = client.namespace().open(path, 0);
    return new TreeSet<>(opened.getBlocks(0).getPlacesList());
  }

  private boolean isInMemory(String path) throws IOException {
    return places(path).stream().anyMatch(place -> (place & TIER_MASK) == MEMORY);
  }

  private int inMemory(String directory, int files) throws IOException {
    int count = 0;
    for (int i = 0; i < files; i++) {
      count += isInMemory(directory + "/" + i) ? 1 : 0;
    }
    return count;
  }

  // ---- pins

  @Test
  void aPinnedFileStaysInMemoryWhenItIsShort(Seed seed) throws IOException {
    startWithDisk(1);
    write(client, "/pinned/0", seed.random());
    client.namespace().setPin("/pinned", true);
    within("the worker knows").until(() -> store.metric(1, "pinned_bytes") > BLOCK);
    write(client, "/pinned/1", seed.random());
    within("new files are pinned").until(() -> store.metric(1, "pinned_bytes") > 2L * BLOCK);
    for (int i = 0; i < 40; i++) {
      write(client, "/others/" + i, seed.random());
    }
    within("others move").until(() -> inMemory("/others", 40) < 18);
    assertThat(inMemory("/pinned", 2)).isEqualTo(2);
    client.namespace().setPin("/pinned", false);
    within("it is unpinned").until(() -> store.metric(1, "pinned_bytes") == 0);
    for (int i = 40; i < 80; i++) {
      write(client, "/others/" + i, seed.random());
    }
    within("it moves, too").until(() -> inMemory("/pinned", 2) == 0);
  }

  @Test
  void moreThanFitsIsReported(Seed seed) throws IOException {
    startWithDisk(1, "pinned.percent", "10");
    client.namespace().makeDirectories("/pinned", 0755);
    client.namespace().setPin("/pinned", true);
    for (int i = 0; i < 3; i++) {
      write(client, "/pinned/" + i, seed.random());
    }
    within("no more than its part").until(() -> store.metric(1, "unpinned_bytes") > BLOCK);
    assertThat(store.metric(1, "pinned_bytes")).isLessThan(2L << 20);
    try (StoreAdmin admin = store.admin()) {
      within("it is reported")
          .until(() -> String.join("\n", admin.report().getUnhealthyList()).contains("pinned"));
    }
  }

  @Test
  void aWorkerThatStartsAgainAsksWhatIsPinned(Seed seed) throws IOException {
    startWithDisk(1);
    write(client, "/pinned/0", seed.random());
    client.namespace().setPin("/pinned/0", true);
    within("the worker knows").until(() -> store.metric(1, "pinned_bytes") > 0);
    store.stopWorker(1);
    startWithDisk(1);
    within("the worker knows again").until(() -> store.metric(1, "pinned_bytes") > 0);
  }

  // ---- times to live

  @Test
  void aFileGoesWhenItsTimeIsOver(Seed seed) throws IOException {
    store.startWorker(1);
    write(client, "/d/short", seed.random());
    write(client, "/d/long", seed.random());
    client.namespace().setExpiry("/d/short", 300, false);
    client.namespace().setExpiry("/d/long", 3_600_000, false);
    assertThat(client.namespace().use("/d/long").getLeftMs()).isBetween(3_000_000L, 3_600_000L);
    within("it is gone")
        .untilAsserted(
            () ->
                assertThatThrownBy(() -> client.namespace().stat("/d/short"))
                    .hasMessageContaining("there is no"));
    within("its blocks, too").until(() -> store.metric(1, "blocks") == 1);
    assertThat(client.namespace().use("/d/long").getExpires()).isTrue();
  }

  // ---- shares of memory

  @Test
  void whoHasMostInMemoryGivesFirst(Seed seed) throws IOException {
    startWithDisk(1);
    client.namespace().makeDirectories("/home", 01777);
    client.namespace().setMode("/home", 01777);
    StoreClient alice = store.client("alice");
    StoreClient bob = store.client("bob");
    for (int i = 0; i < 6; i++) {
      write(alice, "/home/alice/" + i, seed.random());
    }
    for (int i = 0; i < 60; i++) {
      write(bob, "/home/bob/" + i, seed.random());
    }
    within("bob's move").until(() -> inMemory("/home/bob", 60) < 14);
    assertThat(inMemory("/home/alice", 6)).isEqualTo(6);
  }

  @Test
  void withoutSharesTheOldestGoes(Seed seed) throws IOException {
    startWithDisk(1, "eviction.fair", "false");
    for (int i = 0; i < 6; i++) {
      write(client, "/old/" + i, seed.random());
    }
    for (int i = 0; i < 40; i++) {
      write(client, "/new/" + i, seed.random());
    }
    within("the old ones move").until(() -> inMemory("/old", 6) == 0);
  }

  // ---- drains and balancing

  @Test
  void whatADrainedWorkerAloneHadIsCopied(Seed seed) throws IOException {
    store.startWorker(1);
    byte[][] contents = new byte[8][];
    for (int i = 0; i < contents.length; i++) {
      contents[i] = write(client, "/d/" + i, seed.random());
    }
    FileOutput writing = client.create(TestStore.file("/d/late"));
    writing.write(contents[0]);
    try (StoreAdmin admin = store.admin()) {
      within("nobody else has room")
          .until(() -> !admin.drain(store.address(1), false).getObstacle().isEmpty());
      store.startWorker(2);
      within("all are copied").until(() -> store.metric(2, "blocks") >= contents.length);
      assertThat(admin.drain(store.address(1), false).getDrained()).isFalse();
      writing.close();
      within("it is drained").until(() -> admin.drain(store.address(1), false).getDrained());
      write(client, "/d/new", seed.random());
      assertThat(admin.report().getWorkersList()).anyMatch(worker -> worker.getDraining());
    }
    store.stopWorker(1);
    for (int i = 0; i < contents.length; i++) {
      assertThat(read("/d/" + i)).isEqualTo(contents[i]);
    }
    assertThat(read("/d/late")).isEqualTo(contents[0]);
    assertThat(read("/d/new")).hasSize(BLOCK);
  }

  @Test
  void whatADrainHasCopiedGoesWhenRoomIsShort(Seed seed) throws IOException {
    String[] little = {"dirs", store.memory(1) + ":disktype=MEM:capacity=20m"};
    store.startWorker(1, little);
    List<byte[]> contents = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      contents.add(write(client, "/d/" + i, seed.derive("file " + i).random()));
    }
    store.startWorker(2, "dirs", store.memory(2) + ":disktype=MEM:capacity=20m");
    try (StoreAdmin admin = store.admin()) {
      within("both have all").until(() -> admin.drain(store.address(1), false).getDrained());
    }
    store.stopWorker(1);
    store.startWorker(1, little); // and is drained no more
    assertThat(places("/d/0")).hasSize(2);
    for (int i = contents.size(); i < 30; i++) {
      contents.add(write(client, "/d/" + i, seed.derive("file " + i).random()));
    }
    assertThat(store.metric(1, "spares_dropped_total") + store.metric(2, "spares_dropped_total"))
        .isPositive();
    assertThat(store.metric(1, "blocks_dropped_total")).isZero();
    for (int i = 0; i < contents.size(); i++) {
      assertThat(places("/d/" + i)).isNotEmpty();
      assertThat(read("/d/" + i)).isEqualTo(contents.get(i));
    }
  }

  @Test
  void blocksMoveToTheEmptierWorker(Seed seed) throws IOException {
    store.startWorker(1);
    byte[][] contents = new byte[20][];
    for (int i = 0; i < contents.length; i++) {
      contents[i] = write(client, "/d/" + i, seed.random());
    }
    store.startWorker(2);
    try (StoreAdmin admin = store.admin()) {
      within("both are heard")
          .until(
              () ->
                  admin.report().getWorkersList().stream()
                      .allMatch(worker -> worker.getCapacityBytesCount() > 0));
      BalanceResponse first = admin.balance(10, BLOCK);
      assertThat(first.getBalanced()).isFalse();
      within("they are even").until(() -> admin.balance(10, 4L * BLOCK).getBalanced());
    }
    assertThat(store.metric(1, "blocks")).isBetween(7L, 13L);
    assertThat(store.metric(1, "blocks") + store.metric(2, "blocks")).isEqualTo(20);
    for (int i = 0; i < contents.length; i++) {
      assertThat(places("/d/" + i)).hasSize(1);
      assertThat(read("/d/" + i)).isEqualTo(contents[i]);
    }
  }

  @Test
  void aReportNamesWhatIsLost(Seed seed) throws IOException {
    try (StoreAdmin admin = store.admin()) {
      assertThat(admin.report().getUnhealthyList()).anyMatch(line -> line.contains("no worker"));
      store.startWorker(1);
      write(client, "/d/file", seed.random());
      ReportResponse report =
          within("all files are looked at").until(admin::report, ReportResponse::getLooked);
      assertThat(report.getUnhealthyList()).isEmpty();
      assertThat(report.getWorkers(0).getAddress().getHost()).isEqualTo("localhost");
      store.stopWorker(1);
      within("it is lost")
          .until(
              () -> String.join("\n", admin.report().getUnhealthyList()),
              lines -> lines.contains("a block of /d/file is with no worker that lives"));
      assertThatThrownBy(() -> admin.drain("localhost:1", false))
          .isInstanceOfSatisfying(
              StoreRefusedException.class,
              e -> assertThat(e.reason()).isEqualTo(Refusal.Reason.NOT_FOUND))
          .hasMessageContaining("there is no worker localhost:1");
    }
  }
}
