package dev.sailfish.lineage.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sailfish.lineage.protocol.wire.FileEntry;
import dev.sailfish.lineage.protocol.wire.Refusal;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Files of a client that writes one after the other, so that they are announced. */
@Timeout(120)
class AnnouncedFilesTest {
  @TempDir private Path directory;
  private TestStore store;
  private StoreClient writer;
  private StoreClient other;

  @BeforeEach
  void start() throws IOException {
    store = new TestStore(directory);
    store.startWorker(1);
    writer = store.client();
    other = store.client();
    for (int i = 0; i < 3; i++) {
      write("/d/before-" + i, 10);
    }
  }

  @AfterEach
  void stop() throws IOException {
    store.close();
  }

  private void write(String path, int length) throws IOException {
    try (FileOutput out = writer.create(TestStore.file(path))) {
      out.write(new byte[length]);
    }
  }

  private static void assertRefused(Refusal.Reason reason, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            StoreRefusedException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }

  @Test
  void filesAreWhatTheyWouldBe() throws IOException {
    List<Long> fids = new ArrayList<>();
    int[] lengths = {0, 1, TestStore.BLOCK, 2 * TestStore.BLOCK + 1};
    for (int i = 0; i < 40; i++) {
      int length = lengths[i % lengths.length];
      write("/d/f" + i, length);
      FileEntry entry = other.namespace().stat("/d/f" + i);
      assertThat(entry.getComplete()).isTrue();
      assertThat(entry.getLength()).isEqualTo(length);
      try (FileInput in = other.open("/d/f" + i)) {
        assertThat(in.readAllBytes()).isEqualTo(new byte[length]);
      }
      fids.add(entry.getFid());
    }
    assertThat(fids).doesNotHaveDuplicates();
  }

  @Test
  void othersSeeThemFromTheirBeginningOn() throws IOException {
    try (FileOutput out = writer.create(TestStore.file("/d/f"))) {
      FileEntry entry = other.namespace().stat("/d/f");
      assertThat(entry.getComplete()).isFalse();
      assertThat(entry.getFid()).isEqualTo(out.fid());
      assertRefused(Refusal.Reason.NOT_COMPLETE, () -> other.open("/d/f"));
      out.write(1);
    }
    try (FileOutput out = writer.create(TestStore.file("/d/listed"))) {
      List<String> names = new ArrayList<>();
      other.namespace().list("/d", entry -> names.add(entry.getName()));
      assertThat(names).contains("listed");
      out.write(1);
    }
    try (FileOutput out = writer.create(TestStore.file("/d/by-id"))) {
      assertThat(other.namespace().stat(out.fid()).getName()).isEqualTo("by-id");
    }
    assertThat(other.namespace().stat("/d/f").getLength()).isOne();
  }

  @Test
  void ofTwoThatCreateANameOneIsRefusedAtOnce() throws IOException {
    try (FileOutput out = writer.create(TestStore.file("/d/f"))) {
      assertRefused(Refusal.Reason.EXISTS, () -> other.create(TestStore.file("/d/f")));
      assertRefused(Refusal.Reason.EXISTS, () -> writer.create(TestStore.file("/d/f")));
      out.write(1);
    }
    assertThat(other.namespace().stat("/d/f").getLength()).isOne();
  }

  @Test
  void whatOthersChangeMeanwhileCounts() throws IOException {
    try (FileOutput out = writer.create(TestStore.file("/d/f"))) {
      out.write(1);
      other.namespace().rename("/d", "/e", false);
    }
    assertThat(other.namespace().stat("/e/f").getLength()).isOne();
    FileOutput deleted = writer.create(TestStore.file("/e/g"));
    other.namespace().delete("/e", true);
    assertRefused(Refusal.Reason.NOT_FOUND, deleted::close);
  }

  @Test
  void oneThatIsGivenUpIsGone() throws IOException {
    FileOutput out = writer.create(TestStore.file("/d/f"));
    out.write(1);
    out.abandon();
    assertRefused(Refusal.Reason.NOT_FOUND, () -> other.namespace().stat("/d/f"));
    write("/d/f", 5);
    assertThat(other.namespace().stat("/d/f").getLength()).isEqualTo(5);
  }

  @Test
  void oneWhoseClientIsSilentIsGone() throws IOException {
    writer.create(TestStore.file("/d/f")).write(new byte[TestStore.BLOCK]);
    assertThat(other.namespace().stat("/d/f").getComplete()).isFalse();
    writer.close();
    await("its lease is over")
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () -> assertRefused(Refusal.Reason.NOT_FOUND, () -> other.namespace().stat("/d/f")));
  }

  @Test
  void aSilentClientBeginsFilesByChangesAgain() throws IOException {
    FileOutput open = other.create(TestStore.file("/open"));
    open.write(1);
    FileOutput kept = other.create(TestStore.file("/kept"));
    kept.write(1);
    // The writer's lease is as long as that of this client, which is not renewed once it is closed.
    other.close();
    await("the ids of clients that are silent for so long are not kept")
        .atMost(Duration.ofSeconds(30))
        .until(() -> !isThere("/kept"));
    write("/d/after", 3);
    assertThat(writer.namespace().stat("/d/after").getLength()).isEqualTo(3);
  }

  private boolean isThere(String path) throws IOException {
    try (StoreClient asking = store.client()) {
      asking.namespace().stat(path);
      return true;
    } catch (StoreRefusedException e) {
      return false;
    }
  }

  @Test
  void theNextLeaderTakesThem() throws IOException {
    FileOutput unseen = writer.create(TestStore.file("/d/f"));
    unseen.write(new byte[TestStore.BLOCK + 1]);
    FileOutput seen = writer.create(TestStore.file("/d/seen"));
    other.namespace().stat("/d/seen");
    store.restartMaster();
    unseen.close();
    seen.close();
    assertThat(other.namespace().stat("/d/f").getLength()).isEqualTo(TestStore.BLOCK + 1);
    assertThat(other.namespace().stat("/d/seen").getComplete()).isTrue();
    write("/d/after", 3);
  }

  @Test
  void whoTakesTheNameUnderTheNextLeaderHasIt() throws IOException {
    FileOutput out = writer.create(TestStore.file("/d/f"));
    out.write(1);
    store.restartMaster();
    other.create(TestStore.file("/d/f")).close();
    assertRefused(Refusal.Reason.EXISTS, out::close);
    assertThat(other.namespace().stat("/d/f").getLength()).isZero();
  }

  @Test
  void manyAreBegunAhead() throws IOException {
    List<CompletableFuture<FileOutput>> begun = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      begun.add(writer.createAsync(TestStore.file("/d/f" + i)));
    }
    List<CompletableFuture<FileEntry>> ended = new ArrayList<>();
    for (CompletableFuture<FileOutput> one : begun) {
      FileOutput out = one.join();
      out.write(1);
      ended.add(out.closeAsync());
    }
    assertThat(ended).allSatisfy(entry -> assertThat(entry.join().getLength()).isOne());
  }
}
