package dev.sailfish.lineage.worker.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Looks at blocks one after the other, whatever is wrong with one of them. */
@Timeout(60)
class ScrubberTest {
  private static final BlockId UNREADABLE = new BlockId(1, 0);
  private static final BlockId DAMAGED = new BlockId(2, 0);
  private static final int LENGTH = 100;
  private static final int PERIOD_MS = 20;

  @TempDir Path root;

  @Test
  void oneThatCannotBeOpenedIsPassedOver() throws IOException {
    try (BlockFixture store = new BlockFixture(root);
        Scrubber scrubber = new Scrubber(store.blocks(), PERIOD_MS)) {
      store.write(UNREADABLE, new byte[LENGTH]);
      store.write(DAMAGED, new byte[LENGTH]);
      Files.delete(store.segment(UNREADABLE).path());
      try (RandomAccessFile file =
          new RandomAccessFile(store.segment(DAMAGED).path().toFile(), "rw")) {
        file.write(1);
      }
      scrubber.start();
      await("the other one is found")
          .atMost(Duration.ofSeconds(30))
          .until(() -> store.blocks().damaged() == 1);
      assertThat(store.blocks().isSealed(UNREADABLE)).as("this says nothing of it").isTrue();
    }
  }
}
