package dev.sailfish.lineage.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sailfish.ground.config.Settings;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.lineage.master.LineageMaster;
import dev.sailfish.lineage.master.LineageMasterKey;
import dev.sailfish.lineage.protocol.wire.BlockLocation;
import dev.sailfish.lineage.protocol.wire.ChangeResponse;
import dev.sailfish.lineage.protocol.wire.CreateFile;
import dev.sailfish.lineage.protocol.wire.FileBlocks;
import dev.sailfish.lineage.protocol.wire.FileCondition;
import dev.sailfish.lineage.protocol.wire.FileEntry;
import dev.sailfish.lineage.protocol.wire.ListEntriesResponse;
import dev.sailfish.lineage.protocol.wire.OpenFileResponse;
import dev.sailfish.lineage.protocol.wire.OutputState;
import dev.sailfish.lineage.protocol.wire.Refusal;
import dev.sailfish.lineage.protocol.wire.StoreUser;
import dev.sailfish.lineage.protocol.wire.WorkerAddress;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Against a master in this process, with a journal on the disk. */
@Timeout(180)
class NamespaceClientTest {
  private static final StoreUser ROOT =
      StoreUser.newBuilder().setName("root").setSuperuser(true).build();
  private static final StoreUser BOB = StoreUser.newBuilder().setName("bob").build();

  /** Much longer than a busy machine takes from one renewal to the next. */
  private static final int LEASE_MS = 5_000;

  @TempDir private Path directory;
  private LineageMaster master;
  private NamespaceClient client;
  private NominalWorker worker;

  @BeforeEach
  void start() throws IOException {
    Map<String, String> settings =
        Map.of(
            "host", "127.0.0.1",
            "port", "0",
            "web.port", "0",
            "authentication", "none",
            "client.lease", LEASE_MS + "ms",
            "journal.dir", directory.toString());
    Path file = directory.resolve("master.properties");
    Files.write(
        file,
        settings.entrySet().stream()
            .map(one -> LineageMasterKey.ALL.prefix() + one.getKey() + "=" + one.getValue())
            .toList());
    master = LineageMaster.start(Settings.read(file));
    client = client(1, ROOT);
    worker = new NominalWorker(masters(), Credentials.none());
  }

  private List<InetSocketAddress> masters() {
    return List.of(new InetSocketAddress("127.0.0.1", master.port()));
  }

  @AfterEach
  void stop() {
    worker.close();
    client.close();
    master.close();
  }

  private NamespaceClient client(long id, StoreUser user) {
    return new NamespaceClient(Configs.of(masters(), Credentials.none(), user), id);
  }

  private static CreateFile file(String path) {
    return CreateFile.newBuilder()
        .setPath(path)
        .setMode(0644)
        .setMakeParents(true)
        .setParentMode(0755)
        .setBlockSizeLog(27)
        .build();
  }

  private List<String> names(String path) throws IOException {
    List<String> names = new ArrayList<>();
    client.list(path, entry -> names.add(entry.getName()));
    return names;
  }

  private static void assertRefused(Refusal.Reason reason, ThrowingCallable what) {
    assertThatThrownBy(what)
        .isInstanceOfSatisfying(
            StoreRefusedException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }

  @Test
  void changesAndReadsTheNamespace() throws IOException {
    ChangeResponse response = client.create(file("/a/b/file"));
    assertThat(response.getWorkersList()).map(WorkerAddress::getHost).containsExactly("localhost");
    FileEntry created = response.getEntry();
    assertThat(created.getComplete()).isFalse();
    assertRefused(Refusal.Reason.NOT_COMPLETE, () -> client.open("/a/b/file", 1));
    FileEntry complete = client.complete(created.getFid(), 42, worker.places(42, 27));
    OpenFileResponse opened = client.open("/a/b/file", 1);
    assertThat(opened.getEntry()).isEqualTo(complete);
    assertThat(opened.getBlocks(0).getPlacesList()).isEqualTo(worker.places(42, 27));
    assertThat(opened.getWorkersList()).isEqualTo(response.getWorkersList());
    assertThat(client.locate(created.getFid(), 1, 1).getBlocksList()).isEmpty();
    assertThat(client.stat("/a/b/file")).isEqualTo(complete);
    client.rename("/a", "/c", false);
    assertThat(client.stat(created.getFid())).isEqualTo(complete);
    client.makeDirectories("/d/e", 0700);
    client.setMode("/d", 0711);
    client.setOwner("/d", "bob", "staff");
    client.setModified("/d", 4711);
    FileEntry changed = client.stat("/d");
    assertThat(changed.getMode()).isEqualTo(0711);
    assertThat(changed.getOwner()).isEqualTo("bob");
    assertThat(changed.getGroup()).isEqualTo("staff");
    assertThat(changed.getModifiedMs()).isEqualTo(4711);
    client.abandon(client.create(file("/d/f")).getEntry().getFid());
    assertThat(names("/d")).containsExactly("e");
    client.delete("/c", true);
    assertThat(names("/")).containsExactly("d");
    assertRefused(Refusal.Reason.NOT_FOUND, () -> client.stat("/c/b/file"));
    assertRefused(Refusal.Reason.NOT_EMPTY, () -> client.delete("/d", false));
    try (NamespaceClient bob = client(2, BOB)) {
      assertRefused(Refusal.Reason.DENIED, () -> bob.create(file("/of-bob")));
    }
  }

  @Test
  void listsDirectoriesOfAnySize() throws IOException {
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 2_500; i++) {
      expected.add("d-%05d".formatted(i));
      client.makeDirectories("/many/" + expected.get(i), 0755);
    }
    assertThat(names("/many")).isEqualTo(expected);
  }

  @Test
  void listsPageByPage() throws IOException {
    for (String name : List.of("a", "b", "c")) {
      client.makeDirectories("/d/" + name, 0755);
    }
    ListEntriesResponse page = client.list("/d", "", 2);
    assertThat(page.getEntriesList()).map(FileEntry::getName).containsExactly("a", "b");
    assertThat(page.getMore()).isTrue();
    page = client.list("/d", "b", 2);
    assertThat(page.getEntriesList()).map(FileEntry::getName).containsExactly("c");
    assertThat(page.getMore()).isFalse();
    assertThat(page.getFile()).isFalse();
  }

  @Test
  void listsWhereFilesAre() throws IOException {
    client.makeDirectories("/d/directory", 0755);
    client.create(file("/d/open"));
    long small = complete("/d/small", 50L << 27);
    complete("/d/large", (50L << 27) + 1);
    ListEntriesResponse page = client.listPlaces("/d", "");
    assertThat(page.getEntriesList())
        .map(FileEntry::getName)
        .containsExactly("directory", "large", "open", "small");
    assertThat(page.getFilesList()).map(FileBlocks::getFid).containsExactly(small);
    assertThat(page.getFiles(0).getBlocksList())
        .isEqualTo(client.open("/d/small", 0).getBlocksList());
    assertThat(page.getWorkersList()).isEqualTo(client.open("/d/small", 0).getWorkersList());
    assertThat(client.list("/d", "", 0).getFilesList()).isEmpty();
    for (int i = 0; i < 201; i++) {
      client.makeDirectories("/e/" + i, 0755);
    }
    assertThat(client.listPlaces("/e", "").getEntriesList()).hasSize(200);
    assertThat(client.listPlaces("/e", "").getMore()).isTrue();
  }

  @Test
  void listsWhatIsPinned() throws IOException {
    client.makeDirectories("/d/below", 0755);
    complete("/d/file", 1);
    assertThat(client.listConditions("/d", "").getConditionsList()).isEmpty();
    client.setPin("/d/file", true);
    client.setPin("/d/below", true);
    ListEntriesResponse page = client.listConditions("/d", "");
    assertThat(page.getConditionsList())
        .allMatch(FileCondition::getPinned)
        .map(FileCondition::getFid)
        .containsExactlyElementsOf(page.getEntriesList().stream().map(FileEntry::getFid).toList());
    assertThat(page.getConditions(0).getState()).isEqualTo(OutputState.OUTPUT_UNKNOWN);
    assertThat(client.listPlaces("/d", "").getConditionsList()).isEmpty();
  }

  private long complete(String path, long length) throws IOException {
    long fid = client.create(file(path)).getEntry().getFid();
    client.complete(fid, length, worker.places(length, 27));
    return fid;
  }

  @Test
  void tellsAFileFromADirectoryThatHasOneOfThatName() throws IOException {
    client.create(file("/x/x"));
    ListEntriesResponse directory = client.list("/x", "", 0);
    ListEntriesResponse file = client.list("/x/x", "", 0);
    assertThat(file.getEntriesList()).isEqualTo(directory.getEntriesList());
    assertThat(directory.getFile()).isFalse();
    assertThat(file.getFile()).isTrue();
  }

  @Test
  void namesBlocksFromAnyOneOn() throws IOException {
    long fid = client.create(file("/f")).getEntry().getFid();
    client.complete(fid, 3L << 27, worker.places(3L << 27, 27));
    assertThat(client.open("/f", 1, 1).getBlocksList())
        .map(BlockLocation::getBlock)
        .containsExactly(1);
    assertThat(client.open("/f", 1, 0).getBlocksList())
        .map(BlockLocation::getBlock)
        .containsExactly(1, 2);
  }

  /** More than the master keeps answers of: the client itself has some wait. */
  @Test
  void oneThreadHasManyRequestsOnTheirWay() throws IOException {
    int count = 3 * ChangeNumbers.MOST;
    List<CompletableFuture<FileEntry>> made = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      made.add(client.createEmptyAsync(file("/many/f" + i)));
    }
    made.forEach(CompletableFuture::join);
    assertThat(names("/many")).hasSize(count);
    List<CompletableFuture<FileEntry>> asked = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      asked.add(client.statAsync("/many/f" + i));
    }
    for (int i = 0; i < count; i++) {
      assertThat(asked.get(i).join()).isEqualTo(made.get(i).join());
    }
    CompletableFuture<FileEntry> again = client.createEmptyAsync(file("/many/f0"));
    assertThatThrownBy(again::join)
        .cause()
        .isInstanceOfSatisfying(
            StoreRefusedException.class,
            e -> assertThat(e.reason()).isEqualTo(Refusal.Reason.EXISTS));
    assertThatThrownBy(client.statAsync("/none")::join)
        .hasCauseInstanceOf(StoreRefusedException.class);
    long fid = client.createAsync(file("/many/given-up")).join().getEntry().getFid();
    client.abandonAsync(fid).join();
    assertRefused(Refusal.Reason.NOT_FOUND, () -> client.stat("/many/given-up"));
  }

  @Test
  void whatASilentClientHasNotCompletedGoes() throws IOException {
    client.create(file("/kept"));
    try (NamespaceClient silent = client(2, ROOT)) {
      long fid = silent.create(file("/open")).getEntry().getFid();
      silent.complete(
          silent.create(file("/complete")).getEntry().getFid(), 1, worker.places(1, 27));
      await("what is open goes")
          .atMost(Duration.ofSeconds(30))
          .pollInterval(Duration.ofMillis(100))
          .until(
              () -> {
                assertThat(client.renew()).isEqualTo(LEASE_MS);
                return names("/").equals(List.of("complete", "kept"));
              });
      assertRefused(Refusal.Reason.NOT_FOUND, () -> silent.complete(fid, 1, worker.places(1, 27)));
    }
  }
}
