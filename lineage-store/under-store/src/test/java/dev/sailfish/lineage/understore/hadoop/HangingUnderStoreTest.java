package dev.sailfish.lineage.understore.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sailfish.lineage.understore.CopyTarget;
import dev.sailfish.lineage.understore.CopyWriter;
import dev.sailfish.lineage.understore.UnderFile;
import dev.sailfish.lineage.understore.UnderPath;
import dev.sailfish.lineage.understore.UnderReader;
import dev.sailfish.lineage.understore.UnderStore;
import dev.sailfish.lineage.understore.UnderStoreException;
import dev.sailfish.lineage.understore.UnderStoreException.Reason;
import dev.sailfish.lineage.understore.UnderStoreTimeoutException;
import dev.sailfish.lineage.understore.call.CallUsage;
import dev.sailfish.lineage.understore.call.Gate;
import dev.sailfish.lineage.understore.mount.Mount;
import dev.sailfish.testkit.ManualNanoClock;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A file system whose calls do not return. Minutes pass on the clock of the mount alone. */
@Seeded
@Timeout(60)
class HangingUnderStoreTest {
  @TempDir private Path root;

  private final ManualNanoClock clock = new ManualNanoClock();
  private volatile Gate gate = new Gate();
  private volatile String hanging = "nothing";
  private HadoopMount mount;
  private UnderStore store;
  private UnderPath file;

  private void before(String step) {
    if (step.equals(hanging) || hanging.equals("everything")) {
      gate.pass();
    }
  }

  @BeforeEach
  void mount() throws IOException {
    String plan = FaultyFileSystem.plan("hanging", this::before);
    mount =
        new HadoopMount(
            Mount.parse(
                "/d faulty://hanging"
                    + root
                    + " buffer=64k threads=2 streams=3 rename=atomic"
                    + " deadline=30s commit.deadline=5min"
                    + plan),
            clock::getAsLong);
    store = mount.as(UserGroupInformation.getCurrentUser());
    file = UnderPath.of("file");
  }

  @AfterEach
  void letGo() {
    gate.open();
    store.close();
    mount.close();
  }

  /** Runs a call until it hangs, and then lets its time pass. */
  private Throwable timeOut(Duration deadline, Callable<?> call) throws Exception {
    int before = gate.waiting();
    FutureTask<?> task = new FutureTask<>(call);
    new Thread(task, "caller").start();
    await().until(() -> gate.waiting() == before + 1 || task.isDone());
    clock.advance(deadline);
    try {
      task.get();
      throw new AssertionError("no failure");
    } catch (ExecutionException e) {
      return e.getCause();
    }
  }

  private void release() {
    hanging = "nothing";
    gate.open();
    await().until(() -> mount.usage().equals(new CallUsage(0, 0, 0, 2)));
    gate = new Gate();
  }

  private List<String> names() throws IOException {
    try (Stream<Path> all = Files.list(root)) {
      return all.map(file -> file.getFileName().toString()).toList();
    }
  }

  @Test
  void shouldRefuseAtOnceWhileAllHangsAndGoOnAfterwards() throws Exception {
    Files.write(root.resolve("file"), new byte[10]);
    UnderFile there = store.status(file).orElseThrow();
    hanging = "everything";
    for (int i = 0; i < 2; i++) {
      assertThat(timeOut(Duration.ofSeconds(30), () -> store.status(file)))
          .isInstanceOf(UnderStoreTimeoutException.class)
          .hasMessageContainingAll("asking for file of /d (faulty://hanging", "30000 ms");
    }
    List<Callable<?>> calls =
        List.of(
            () -> store.status(file),
            () -> store.list(UnderPath.ROOT).next(),
            () -> store.open(there),
            () -> store.write(new CopyTarget(file, 1)),
            () -> store.delete(file, false),
            () -> store.sweep(UnderPath.ROOT, Duration.ZERO));
    for (int round = 0; round < 20; round++) {
      for (Callable<?> call : calls) {
        assertThatThrownBy(call::call)
            .isInstanceOfSatisfying(
                UnderStoreException.class, e -> assertThat(e.reason()).isEqualTo(Reason.BUSY))
            .hasMessageContainingAll("of /d", "threads=2 hang");
      }
    }
    assertThat(mount.usage()).isEqualTo(new CallUsage(2, 2, 0, 2));
    release();
    for (int round = 0; round < 4; round++) {
      store.open(there).close();
    }
    assertThat(store.changed(there)).isEmpty();
  }

  @Test
  void shouldNotTouchTheBufferOfACallerThatHasGone() throws Exception {
    Files.write(root.resolve("file"), new byte[] {1, 2, 3});
    UnderReader reader = store.open(store.status(file).orElseThrow());
    hanging = "read";
    ByteBuffer buffer = ByteBuffer.allocate(3);
    assertThat(timeOut(Duration.ofSeconds(30), () -> reader.read(0, buffer)))
        .isInstanceOf(UnderStoreTimeoutException.class);
    assertThatThrownBy(() -> reader.read(0, buffer)).hasMessageContaining("failed before");
    reader.close();
    release();
    assertThat(buffer.array()).containsOnly(0);
    assertThat(buffer.position()).isZero();
    shouldHaveAllStreams();
  }

  private void shouldHaveAllStreams() throws IOException {
    Files.write(root.resolve("file"), new byte[10]);
    UnderFile there = store.status(file).orElseThrow();
    UnderReader[] readers = new UnderReader[3];
    for (int i = 0; i < readers.length; i++) {
      readers[i] = store.open(there);
    }
    assertThatThrownBy(() -> store.open(there)).hasMessageContaining("streams=3 are open");
    for (UnderReader reader : readers) {
      reader.close();
    }
  }

  /** Wherever it hangs: no copy comes of it when it goes on, unless it hung in the rename. */
  @ParameterizedTest
  @ValueSource(
      strings = {"initialize", "create", "write", "close", "status", "rename", "renamed", "delete"})
  void shouldGiveUpACopyThatHangs(String step, SplittableRandom random) throws Exception {
    byte[] content = TestBytes.random(random, 150_000);
    hanging = step;
    Throwable failure =
        timeOut(
            Duration.ofMinutes(5),
            () -> {
              try (CopyWriter writer = store.write(new CopyTarget(file, 1))) {
                writer.write(ByteBuffer.wrap(content));
                if (!step.equals("delete")) {
                  writer.commit();
                }
              }
              throw new UnderStoreTimeoutException("closed after its deadline");
            });
    assertThat(failure).isInstanceOf(UnderStoreTimeoutException.class);
    boolean named = step.startsWith("rename");
    assertThat(names().contains("file")).isEqualTo(step.equals("renamed"));
    release();
    assertThat(names().contains("file")).isEqualTo(named);
    if (named) {
      assertThat(root.resolve("file")).hasBinaryContent(content);
    } else {
      assertThat(names()).isEmpty();
    }
    assertThat(mount.temporaries()).isEmpty();
    try (CopyWriter writer = store.write(new CopyTarget(file, 1))) {
      writer.write(ByteBuffer.wrap(content));
      assertThat(writer.commit().file()).isEqualTo(store.status(file).orElseThrow());
    }
    assertThat(names()).containsExactly("file");
    shouldHaveAllStreams();
  }

  @Test
  void shouldNotWaitForAFileThatDoesNotClose() throws Exception {
    Files.write(root.resolve("file"), new byte[10]);
    UnderReader reader = store.open(store.status(file).orElseThrow());
    hanging = "closing";
    assertThat(
            timeOut(
                Duration.ofSeconds(30),
                () -> {
                  reader.close();
                  throw new UnderStoreTimeoutException("closed after its deadline");
                }))
        .hasMessageContaining("closed after");
    assertThat(mount.usage().stuck()).isEqualTo(1);
    assertThat(store.status(file)).isPresent();
    release();
    shouldHaveAllStreams();
  }

  /** Files that are open when all threads hang are closed when one comes back. */
  @Test
  void shouldCloseLaterWhatCannotBeClosedNow() throws Exception {
    Files.write(root.resolve("file"), new byte[10]);
    UnderFile there = store.status(file).orElseThrow();
    UnderReader reader = store.open(there);
    CopyWriter writer = store.write(new CopyTarget(UnderPath.of("copy"), 1));
    hanging = "everything";
    timeOut(Duration.ofSeconds(30), () -> store.status(file));
    timeOut(Duration.ofSeconds(30), () -> store.status(file));
    reader.close();
    writer.close();
    assertThat(names()).hasSize(2);
    release();
    assertThat(names()).containsExactly("file");
    shouldHaveAllStreams();
  }
}
