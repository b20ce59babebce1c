package dev.sailfish.lineage.worker.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.blockstore.EvictionOrder;
import dev.sailfish.blockstore.NoSpaceException;
import dev.sailfish.blockstore.Segment;
import dev.sailfish.blockstore.Tier;
import dev.sailfish.ground.wire.Network;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Makes room in memory that is nearly full. */
@Timeout(60)
class EvictorTest {
  private static final Duration DEADLINE = Duration.ofSeconds(30);
  private static final BlockId FIRST = new BlockId(1, 0);
  private static final BlockId SECOND = new BlockId(2, 0);
  private static final int LENGTH = BlockFixture.MEMORY / 100 * 46;
  private static final int NO_SPARES = 0;

  @TempDir Path root;
  private BlockFixture store;

  @BeforeEach
  void fill() throws IOException {
    store = new BlockFixture(root);
    store.write(FIRST, new byte[LENGTH]);
    store.write(SECOND, new byte[LENGTH]);
  }

  @AfterEach
  void close() throws IOException {
    store.close();
  }

  private Evictor evictor(EvictionOrder order) {
    return new Evictor(
        store.segments(),
        store.blocks(),
        new Spares(store.segments(), store.blocks(), Network.SOCKETS, NO_SPARES),
        Network.SOCKETS,
        DEADLINE,
        order,
        fids -> {});
  }

  private void awaitOnDisk(BlockId id) {
    await("it has left the memory")
        .atMost(DEADLINE)
        .until(() -> store.blocks().tier(id) == Tier.DISK);
  }

  /** Is in the middle of a pass until it is let go. */
  private static final class LongPass implements EvictionOrder {
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch letGo = new CountDownLatch(1);

    @Override
    public long rank(Segment segment) {
      return LEAST_RECENTLY_USED.rank(segment);
    }

    @Override
    public List<Segment> order(Collection<Segment> candidates) {
      begun.countDown();
      try {
        letGo.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return LEAST_RECENTLY_USED.order(candidates);
    }
  }

  @Test
  void aWriterDoesNotWaitForThePassThatMakesRoom() throws Exception {
    LongPass pass = new LongPass();
    AtomicInteger attempts = new AtomicInteger();
    CompletableFuture<Optional<IOException>> outcome = new CompletableFuture<>();
    try (Evictor evictor = evictor(pass)) {
      evictor.start();
      assertThat(pass.begun.await(DEADLINE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      evictor.whenRoom(
          () -> {
            if (attempts.incrementAndGet() == 1) {
              throw new NoSpaceException("none yet");
            }
          },
          failure -> outcome.complete(Optional.ofNullable(failure)));
      assertThat(outcome.get(DEADLINE.toSeconds(), TimeUnit.SECONDS)).isEmpty();
      assertThat(attempts).hasValue(2);
      pass.letGo.countDown();
      awaitOnDisk(FIRST);
    }
  }

  @Test
  void oneThatCannotBeReadIsPassedOver() throws Exception {
    store.reopen(); // nothing is mapped now
    Path file = store.segment(FIRST).path();
    Files.delete(file);
    Files.createDirectory(file);
    try (Evictor evictor = evictor(segment -> segment.name().equals(FIRST.segment()) ? 0 : 1)) {
      evictor.start();
      awaitOnDisk(SECOND);
      assertThat(store.blocks().tier(FIRST)).isEqualTo(Tier.MEMORY);
    }
    Files.delete(file);
  }
}
