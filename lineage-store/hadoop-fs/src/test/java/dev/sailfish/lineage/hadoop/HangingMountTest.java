package dev.sailfish.lineage.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sailfish.lineage.client.StoreClient;
import dev.sailfish.lineage.client.StoreRefusedException;
import dev.sailfish.lineage.protocol.wire.Refusal.Reason;
import java.io.File;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * An under store that does not answer holds up who asks for its files, for a time, and no others.
 */
@Timeout(120)
class HangingMountTest {
  /** Longer than the first call below takes, which loads classes. */
  private static final Duration DEADLINE = Duration.ofSeconds(3);

  private static final int CLIENTS = 12;

  @TempDir File below;

  private StoreClient client;

  /** A local file system whose calls wait while the test says so. */
  public static final class Hanging extends RawLocalFileSystem {
    private static final ReentrantLock LOCK = new ReentrantLock();
    private static final Condition GOES_ON = LOCK.newCondition();
    private static boolean hangs;

    static void hang(boolean now) {
      LOCK.lock();
      hangs = now;
      GOES_ON.signalAll();
      LOCK.unlock();
    }

    @Override
    public FileStatus getFileStatus(Path path) throws IOException {
      LOCK.lock();
      try {
        while (hangs) {
          GOES_ON.await();
        }
      } catch (InterruptedException e) {
        throw new InterruptedIOException();
      } finally {
        LOCK.unlock();
      }
      return super.getFileStatus(path);
    }
  }

  @BeforeEach
  void mount() throws IOException {
    client = SharedStore.client();
    client
        .mounts()
        .add(
            "/hanging file://%s sync=0s threads=2 waiting=4 deadline=%dms hadoop.fs.file.impl=%s"
                .formatted(below, DEADLINE.toMillis(), Hanging.class.getName()));
  }

  @AfterEach
  void unmount() throws IOException {
    Hanging.hang(false);
    client.mounts().remove("/hanging", true);
    client.close();
  }

  @Test
  void othersGoOn() throws Exception {
    Files.writeString(below.toPath().resolve("file"), "content");
    assertThat(client.namespace().stat("/hanging/file").getLength()).isEqualTo(7);
    Hanging.hang(true);
    ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
    List<Future<?>> asking = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      asking.add(threads.submit(HangingMountTest::assertRefused));
    }
    for (int i = 0; i < 20; i++) {
      client.namespace().makeDirectories("/beside-hanging/" + i, 0755);
      client.namespace().stat("/beside-hanging/" + i);
    }
    for (Future<?> one : asking) {
      one.get(60, TimeUnit.SECONDS);
    }
    threads.shutdown();
    Hanging.hang(false);
    await("its threads have come back")
        .atMost(Duration.ofSeconds(60))
        .ignoreExceptionsInstanceOf(StoreRefusedException.class)
        .until(() -> client.namespace().stat("/hanging/file").getLength() == 7);
  }

  private static void assertRefused() {
    try (StoreClient other = SharedStore.client()) {
      assertThatThrownBy(() -> other.namespace().stat("/hanging/file"))
          .isInstanceOfSatisfying(
              StoreRefusedException.class,
              refused -> assertThat(refused.reason()).isEqualTo(Reason.UNDER_STORE))
          .hasMessageContaining("/hanging");
    }
  }
}
