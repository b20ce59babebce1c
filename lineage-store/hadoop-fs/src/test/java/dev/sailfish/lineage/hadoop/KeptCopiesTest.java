package dev.sailfish.lineage.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.lineage.client.FileInput;
import dev.sailfish.lineage.client.FileOutput;
import dev.sailfish.lineage.client.Lineage;
import dev.sailfish.lineage.client.StoreClient;
import dev.sailfish.lineage.protocol.wire.CreateDependency;
import dev.sailfish.lineage.protocol.wire.DependencyInput;
import dev.sailfish.lineage.protocol.wire.DependencyOutput;
import dev.sailfish.lineage.protocol.wire.DependencyType;
import dev.sailfish.lineage.protocol.wire.OutputState;
import dev.sailfish.lineage.protocol.wire.ReadMode;
import dev.sailfish.lineage.protocol.wire.WriteMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A file below that is removed while something that is made of it is in memory alone, with a real
 * master and a local directory.
 */
@Timeout(180)
class KeptCopiesTest {
  private static final byte[] CONTENT = new byte[300_000];

  @TempDir private Path directory;
  private Path below;
  private Path hidden;
  private MountedStore store;
  private StoreClient client;
  private Lineage lineage;
  private long source;
  private long made;

  @BeforeEach
  void start() throws IOException {
    below = Files.createDirectory(directory.resolve("below"));
    hidden = below.resolve(".sailfish-kept");
    store = new MountedStore(directory, Map.of());
    store.startWorker(1, "64m");
    client = store.client(true);
    lineage = client.lineage();
    client.mounts().add("/m " + below.toUri() + " sync=0s");
    client.namespace().makeDirectories("/m/d", 0755);
    source = write("/m/d/source", WriteMode.WRITE_THROUGH);
    made = write("/made/file", WriteMode.WRITE_MEMORY);
    Path jar = Files.write(directory.resolve("job.jar"), new byte[] {1, 2, 3});
    lineage.create(
        CreateDependency.newBuilder()
            .setType(DependencyType.DEPENDENCY_WIDE)
            .addInputs(DependencyInput.newBuilder().setFid(source))
            .addOutputs(DependencyOutput.newBuilder().setFid(made))
            .addPrograms(lineage.upload(jar))
            .build());
  }

  @AfterEach
  void stop() throws IOException {
    store.close();
  }

  private long write(String path, WriteMode mode) throws IOException {
    FileOutput out =
        client.create(MountedStore.file(path, mode).toBuilder().setReplace(true).build());
    try (out) {
      out.write(CONTENT);
    }
    return out.fid();
  }

  private List<String> names(String path) throws IOException {
    List<String> names = new ArrayList<>();
    client.namespace().list(path, entry -> names.add(entry.getName()));
    return names;
  }

  private static ConditionFactory soon() {
    return await().atMost(Duration.ofSeconds(60));
  }

  private int kept() throws IOException {
    if (!Files.isDirectory(hidden)) {
      return 0;
    }
    try (Stream<Path> files = Files.list(hidden)) {
      return (int) files.count();
    }
  }

  /** Workers lose all that they have; what is made of the file is made again all the same. */
  private void assertReadable() throws IOException {
    store.startWorker(2, "64m");
    store.stopWorker(1);
    soon().until(() -> lineage.of(made).getOutputs(0).getState() == OutputState.OUTPUT_LOST);
    try (FileInput in = client.open(source, ReadMode.READ_MIXED, false);
        FileOutput again = lineage.recompute(made)) {
      again.write(in.readAllBytes());
    }
    try (FileInput in = client.open("/made/file")) {
      assertThat(in.readAllBytes()).isEqualTo(CONTENT);
    }
  }

  @Test
  void ofADeletedDirectoryIsKept() throws IOException {
    client.namespace().delete("/m/d", true);
    assertThat(below.resolve("d")).doesNotExist();
    assertThat(kept()).isOne();
    assertThat(names("/m")).containsExactly(".sailfish-kept");
    assertReadable();
    client.namespace().delete("/made/file", false);
    soon().until(() -> kept() == 0);
    soon().until(() -> names("/m/.sailfish-kept").isEmpty());
  }

  @Test
  void thatIsDeletedItselfIsKept() throws IOException {
    client.namespace().delete("/m/d/source", false);
    assertThat(below.resolve("d/source")).doesNotExist();
    assertThat(kept()).isOne();
    assertReadable();
  }

  @Test
  void thatIsReplacedIsKept() throws IOException {
    long other = write("/m/d/source", WriteMode.WRITE_THROUGH);
    assertThat(other).isNotEqualTo(source);
    assertThat(below.resolve("d/source")).hasBinaryContent(CONTENT);
    assertThat(kept()).isOne();
    assertReadable();
  }

  @Test
  void thatAnotherOneIsMovedOverIsKept() throws IOException {
    write("/m/d/other", WriteMode.WRITE_THROUGH);
    client.namespace().rename("/m/d/other", "/m/d/source", true);
    assertThat(below.resolve("d/source")).hasBinaryContent(CONTENT);
    assertThat(kept()).isOne();
    assertReadable();
  }

  /** Then the leader was gone between what it did below and the journal. */
  @Test
  void thatWasMovedOutOfSightBeforeIsFoundThere() throws IOException {
    long modified = Files.getLastModifiedTime(below.resolve("d/source")).toMillis();
    Files.createDirectory(hidden);
    Files.move(below.resolve("d/source"), hidden.resolve("%016x-%x".formatted(source, modified)));
    assertThat(names("/m/d")).isEmpty();
    assertReadable();
  }

  @Test
  void goesWhenWhatIsMadeOfItIsBelow() throws IOException {
    client.namespace().delete("/m/d", true);
    assertThat(kept()).isOne();
    Path other = Files.createDirectory(directory.resolve("other"));
    client.mounts().add("/made " + other.toUri() + " sync=0s");
    soon().until(() -> kept() == 0);
    assertThat(other.resolve("file")).hasBinaryContent(CONTENT);
  }
}
