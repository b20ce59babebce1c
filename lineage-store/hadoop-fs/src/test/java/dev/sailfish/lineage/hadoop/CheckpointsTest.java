package dev.sailfish.lineage.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sailfish.lineage.client.FileInput;
import dev.sailfish.lineage.client.FileOutput;
import dev.sailfish.lineage.client.Lineage;
import dev.sailfish.lineage.client.StoreAdmin;
import dev.sailfish.lineage.client.StoreClient;
import dev.sailfish.lineage.client.StoreRefusedException;
import dev.sailfish.lineage.protocol.wire.CheckpointEntry;
import dev.sailfish.lineage.protocol.wire.CheckpointPathResponse;
import dev.sailfish.lineage.protocol.wire.CheckpointReport;
import dev.sailfish.lineage.protocol.wire.CreateDependency;
import dev.sailfish.lineage.protocol.wire.DependencyInput;
import dev.sailfish.lineage.protocol.wire.DependencyOutput;
import dev.sailfish.lineage.protocol.wire.DependencyType;
import dev.sailfish.lineage.protocol.wire.WriteMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Files that workers copy below in the background, with a real master and a local directory. */
@Timeout(180)
class CheckpointsTest {
  private static final int LENGTH = 300_000;

  @TempDir private Path directory;
  private Path below;
  private MountedStore store;
  private StoreClient client;
  private Lineage lineage;

  @BeforeEach
  void prepare() throws IOException {
    below = Files.createDirectory(directory.resolve("below"));
  }

  @AfterEach
  void stop() throws IOException {
    HangingFileSystem.letGo();
    store.close();
  }

  private void start(Map<String, String> ofMaster) throws IOException {
    store = new MountedStore(directory, ofMaster);
    store.startWorker(1, "64m");
    client = store.client(true);
    lineage = client.lineage();
  }

  private void mount() throws IOException {
    client.mounts().add("/m " + below.toUri() + " sync=0s");
  }

  private long write(String path) throws IOException {
    FileOutput out = client.create(MountedStore.file(path, WriteMode.WRITE_MEMORY));
    try (out) {
      out.write(new byte[LENGTH]);
    }
    return out.fid();
  }

  /** A file that is made of others. */
  private long made(String path, long... inputs) throws IOException {
    long fid = write(path);
    Path jar = Files.write(directory.resolve("job.jar"), new byte[] {1, 2, 3});
    CreateDependency.Builder dependency =
        CreateDependency.newBuilder()
            .setType(DependencyType.DEPENDENCY_WIDE)
            .addOutputs(DependencyOutput.newBuilder().setFid(fid))
            .addPrograms(lineage.upload(jar));
    for (long input : inputs) {
      dependency.addInputs(DependencyInput.newBuilder().setFid(input));
    }
    lineage.create(dependency.build());
    return fid;
  }

  private static ConditionFactory soon() {
    return await().atMost(Duration.ofSeconds(60));
  }

  private boolean isBelow(String path) throws IOException {
    return client.namespace().stat(path).getBelow();
  }

  private List<String> queue() throws IOException {
    List<String> paths = new ArrayList<>();
    lineage.checkpoints(100, file -> paths.add(file.getPath()));
    return paths;
  }

  private CheckpointReport report() throws IOException {
    try (StoreAdmin admin = store.admin()) {
      return admin.report().getCheckpoints();
    }
  }

  private void awaitCheckpointed(String path) throws IOException {
    soon().until(() -> lineage.checkpoint(path).getLeft() == 0);
  }

  @Test
  void lineageWorksWhereTheRootIsMounted() throws IOException {
    Files.createDirectories(below.resolve(".lineage/programs"));
    start(Map.of());
    client.mounts().add("/ " + below.toUri() + " sync=0s");
    List<String> names = new ArrayList<>();
    client.namespace().list("/", entry -> names.add(entry.getName()));
    assertThat(names).isEmpty();
    made("/first");
    soon().until(() -> isBelow("/first"));
    client.namespace().list("/", entry -> names.add(entry.getName()));
    assertThat(names).containsExactly(".lineage", "first");
    assertThat(below.resolve(".lineage/programs").toFile().list()).isEmpty();
    assertThatThrownBy(() -> client.mounts().add("/.lineage " + below.toUri()))
        .hasMessageContaining("nothing can be mounted at /.lineage");
  }

  @Test
  void filesWithARecordAreCopiedAndOthersAreNot() throws IOException {
    start(Map.of());
    mount();
    write("/m/plain");
    long first = made("/m/first");
    made("/m/second", first);
    made("/outside");
    soon().until(() -> isBelow("/m/first") && isBelow("/m/second"));
    assertThat(below.resolve("second")).hasBinaryContent(new byte[LENGTH]);
    assertThat(isBelow("/m/plain")).isFalse();
    assertThat(queue()).isEmpty();
    assertThat(store.metric(1, "files_copied_total")).isEqualTo(2);
    soon()
        .untilAsserted(
            () -> {
              assertThat(report().getFiles()).isZero();
              assertThat(report().getCheckpointedBytes()).isEqualTo(2L * LENGTH);
            });
  }

  @Test
  void filesWithoutARecordAreCopiedIfThatIsWanted() throws IOException {
    start(Map.of("checkpoint.unrecorded", "true"));
    mount();
    write("/m/plain");
    write("/outside");
    soon().until(() -> isBelow("/m/plain"));
    assertThat(isBelow("/outside")).isFalse();
  }

  /** With a pace that leaves time to look: the first copy is made at once, each other one waits. */
  private void startSlowly() throws IOException {
    start(Map.of("checkpoint.bandwidth", "64k"));
    client.mounts().add("/m " + below.toUri() + " sync=0s");
    made("/m/first");
    made("/m/busy");
    soon().until(() -> isBelow("/m/first") && report().getCopying() > 0);
  }

  /** Files that were there before something is mounted all wait at the same time. */
  private List<String> orderOfAChain(int readsOfTheFirst) throws IOException {
    start(Map.of());
    long first = made("/m/first");
    long second = made("/m/second", first);
    made("/m/third", second);
    for (int i = 0; i < readsOfTheFirst; i++) {
      client.open("/m/first").close();
    }
    mount();
    List<String> names = new ArrayList<>(List.of("first", "second", "third"));
    for (String name : names) {
      soon().until(() -> isBelow("/m/" + name));
    }
    Map<String, FileTime> written = new HashMap<>();
    for (String name : names) {
      written.put(name, Files.getLastModifiedTime(below.resolve(name)));
    }
    names.sort(Comparator.comparing(written::get));
    return names;
  }

  @Test
  void leavesGoFirstThenWhatTheyAreMadeOf() throws IOException {
    assertThat(orderOfAChain(2)).containsExactly("third", "second", "first");
  }

  @Test
  void whatIsReadOftenGoesBeforeLeaves() throws IOException {
    assertThat(orderOfAChain(3)).containsExactly("first", "third", "second");
  }

  @Test
  void whatIsAskedForIsCopiedAndNothingElse() throws IOException {
    start(Map.of("checkpoint.order", "none"));
    mount();
    long first = made("/m/first");
    long second = made("/m/second", first);
    made("/m/third", second);
    assertThat(isBelow("/m/third")).isFalse();
    assertThat(lineage.checkpoint("/m/first").getLeft()).isOne();
    awaitCheckpointed("/m/first");
    assertThat(isBelow("/m/second")).isFalse();
    assertThat(isBelow("/m/third")).isFalse();
  }

  @Test
  void whatIsDeletedBeforeItsTurnIsNeverWritten() throws IOException {
    start(Map.of("checkpoint.order", "edge", "temporary", "/m/scratch"));
    mount();
    made("/m/scratch/a");
    made("/m/scratch/_temporary/b");
    made("/m/kept");
    soon().until(() -> isBelow("/m/kept"));
    assertThat(isBelow("/m/scratch/a")).isFalse();
    client.namespace().delete("/m/scratch/a", false);
    client.namespace().rename("/m/scratch/_temporary/b", "/m/moved", false);
    soon().until(() -> isBelow("/m/moved"));
    soon().until(() -> report().getSparedBytes() == LENGTH);
    assertThat(below.resolve("scratch/a")).doesNotExist();
    assertThat(store.metric(1, "files_copied_total")).isEqualTo(2);
  }

  @Test
  void aMasterThatLeadsAnewGoesOnAndCopiesNothingTwice() throws IOException {
    startSlowly();
    for (int i = 0; i < 5; i++) {
      made("/m/file-" + i);
    }
    store.restartMaster();
    soon().until(() -> report().getLooked() && report().getCopying() > 0);
    for (int i = 0; i < 5; i++) {
      awaitCheckpointed("/m/file-" + i);
    }
    soon().until(() -> isBelow("/m/busy"));
    assertThat(store.metric(1, "files_copied_total")).isEqualTo(7);
    assertThat(store.metric(1, "copied_bytes_total")).isEqualTo(7L * LENGTH);
  }

  @Test
  void aMountThatHangsKeepsNoOtherOneWaiting() throws IOException {
    start(
        Map.of(
            "checkpoint.order", "none",
            "checkpoint.retry", "100ms",
            "checkpoint.retry.longest", "200ms"));
    Path other = Files.createDirectory(directory.resolve("other"));
    mount();
    client
        .mounts()
        .add(
            "/h hanging://x"
                + other
                + " sync=1h deadline=2s commit.deadline=2s hadoop.fs.hanging.impl="
                + HangingFileSystem.class.getName());
    made("/h/d/a");
    made("/h/d/b");
    made("/m/a");
    HangingFileSystem.hang();
    assertThat(lineage.checkpoint("/h/d").getLeft()).isEqualTo(2);
    soon().until(() -> report().getCopying() > 0);
    awaitCheckpointed("/m/a");
    soon()
        .untilAsserted(
            () -> {
              List<CheckpointEntry> failed = new ArrayList<>();
              lineage.checkpoints(100, failed::add);
              assertThat(failed).anyMatch(file -> file.getFailures() > 0);
            });
    try (StoreAdmin admin = store.admin()) {
      assertThat(admin.report().getUnhealthyList())
          .anyMatch(text -> text.startsWith("files cannot be copied below /h"));
    }
    HangingFileSystem.letGo();
    awaitCheckpointed("/h/d/a");
    awaitCheckpointed("/h/d/b");
    soon()
        .untilAsserted(
            () -> {
              try (StoreAdmin admin = store.admin()) {
                assertThat(admin.report().getUnhealthyList()).isEmpty();
              }
            });
  }

  @Test
  void directoriesAreAskedForAsAWhole() throws IOException {
    start(Map.of("checkpoint.order", "none"));
    mount();
    write("/m/d/a");
    write("/m/d/e/b");
    write("/outside");
    FileOutput open = client.create(MountedStore.file("/m/d/open", WriteMode.WRITE_MEMORY));
    CheckpointPathResponse asked = lineage.checkpoint("/m/d");
    assertThat(asked.getFiles()).isEqualTo(2);
    assertThat(asked.getLeftBytes()).isEqualTo(2L * LENGTH);
    assertThat(asked.getWriting()).isOne();
    awaitCheckpointed("/m/d");
    assertThat(below.resolve("d/e/b")).hasBinaryContent(new byte[LENGTH]);
    open.abandon();
    assertThatThrownBy(() -> lineage.checkpoint("/outside"))
        .isInstanceOf(StoreRefusedException.class)
        .hasMessageContaining("nothing is mounted");
    try (FileInput in = client.open("/m/d/a")) {
      assertThat(in.readAllBytes()).hasSize(LENGTH);
    }
  }
}
