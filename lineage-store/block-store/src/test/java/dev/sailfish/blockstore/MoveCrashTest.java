package dev.sailfish.blockstore;

import static dev.sailfish.blockstore.StoreFixture.STEP;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.blockstore.BlockStoreConfig.OwnerConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Moves of random segments between random tiers of which each step fails in turn: the process ends
 * there, or the power, or only that step fails and the store goes on. Another seed: {@code
 * -Dsailfish.seed=N}.
 */
@Timeout(120)
class MoveCrashTest {
  private enum End {
    OF_PROCESS,
    OF_POWER,
    OF_STEP
  }

  private static final int SEEDS = 24;
  private static final int FEWEST_STEPS = 7;

  @TempDir Path root;

  static LongStream seeds() {
    String asked = System.getProperty("sailfish.seed");
    return asked != null ? LongStream.of(Long.parseLong(asked)) : LongStream.range(0, SEEDS);
  }

  @ParameterizedTest(name = "seed={0}")
  @MethodSource("seeds")
  void shouldLeaveOneGoodSegmentWhereverAMoveEnds(long seed) throws IOException {
    for (End end : End.values()) {
      moveThatEndsAtEachStep(end, seed, FaultyFiles.Unforced.NOTHING);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"CONTENT", "NAMES"})
  void shouldFindOutAStoreThatForgetsToForce(FaultyFiles.Unforced forgotten) {
    assertThatThrownBy(
            () -> {
              for (long seed = 0; seed < SEEDS; seed++) {
                moveThatEndsAtEachStep(End.OF_POWER, seed, forgotten);
              }
            })
        .hasMessageContaining("moved");
  }

  private void moveThatEndsAtEachStep(End end, long seed, FaultyFiles.Unforced forgotten)
      throws IOException {
    int step = 0;
    while (moveThatEndsAt(step, end, seed, forgotten)) {
      step++;
    }
    assertThat(step).as("steps of a move").isGreaterThan(FEWEST_STEPS);
  }

  /** The same for the same seed; returns whether the move has that many steps. */
  private boolean moveThatEndsAt(int step, End end, long seed, FaultyFiles.Unforced forgotten)
      throws IOException {
    Random random = new Random(seed);
    Tier from = Tier.values()[random.nextInt(3)];
    Tier to = Tier.values()[(from.ordinal() + 1 + random.nextInt(2)) % 3];
    boolean synced = random.nextInt(3) > 0 || end == End.OF_POWER;
    Path place = root.resolve(end + "-" + step);
    FaultyFiles files = new FaultyFiles(place.resolve("graves"), forgotten);
    try (TieredStore tiers =
        new TieredStore(place, files, synced, new OwnerConfig("worker", Map.of()))) {
      Case it = new Case(tiers, files, random, from, to);
      it.context =
          String.format("moved seed=%d step=%d end=%s %s to %s", seed, step, end, from, to);
      return it.run(step, end);
    } finally {
      StoreFixture.removeTree(place);
    }
  }

  private static final class Case {
    private final TieredStore tiers;
    private final FaultyFiles files;
    private final Random random;
    private final Tier from;
    private final Tier to;
    private final byte[] content;
    private final byte[] other;
    private String context;

    Case(TieredStore tiers, FaultyFiles files, Random random, Tier from, Tier to) {
      this.tiers = tiers;
      this.files = files;
      this.random = random;
      this.from = from;
      this.to = to;
      this.content = TieredStore.content(random, random.nextInt(3 * STEP));
      this.other = TieredStore.content(random, random.nextInt(STEP));
    }

    boolean run(int step, End end) throws IOException {
      TieredStore.sealed(tiers.owner(), "other", to, other, true);
      Segment before =
          TieredStore.sealed(tiers.owner(), "moved", from, content, random.nextBoolean());
      if (random.nextBoolean()) {
        before.share();
      }
      before.retain();
      files.failAfter(step, end != End.OF_STEP);
      boolean moved = move(before);
      boolean hit = files.wasHit();
      assertThat(TieredStore.bytes(before)).as("a reader, %s", context).isEqualTo(content);
      if (end == End.OF_STEP) {
        files.failAfter(Integer.MAX_VALUE, false);
        before.release();
        requireOne();
        assertThat(tiers.owner().find("moved").orElseThrow().tier()).isEqualTo(moved ? to : from);
        tiers.close();
      } else {
        endProcess();
      }
      if (end == End.OF_POWER) {
        files.cutPower(random);
        tiers.loseMemory();
      }
      files.failAfter(Integer.MAX_VALUE, false);
      tiers.open();
      boolean powered = end != End.OF_POWER;
      requireRecovered(powered || (moved ? to : from) != Tier.MEMORY, powered || to != Tier.MEMORY);
      return hit;
    }

    private boolean move(Segment segment) {
      try {
        return tiers.owner().move(segment, to).isPresent();
      } catch (IOException e) {
        assertThat(files.wasHit()).as(context).isTrue();
        return false;
      }
    }

    private void endProcess() {
      files.end();
      try {
        tiers.close();
      } catch (IOException | UncheckedIOException e) {
        assertThat(files.wasHit()).as(context).isTrue();
      }
    }

    private void requireRecovered(boolean movedStays, boolean otherStays) throws IOException {
      if (movedStays || tiers.owner().find("moved").isPresent()) {
        requireOne();
        assertThat(tiers.fileNames().stream().filter(name -> name.startsWith("moved@")))
            .as(context)
            .hasSize(1);
      }
      assertThat(tiers.fileNames())
          .as(context)
          .noneMatch(name -> name.startsWith("+") || name.contains("+copy"));
      if (otherStays) {
        assertThat(TieredStore.bytes(tiers.owner().find("other").orElseThrow()))
            .as(context)
            .isEqualTo(other);
      }
    }

    private void requireOne() throws IOException {
      Segment one = tiers.owner().find("moved").orElseThrow(() -> new AssertionError(context));
      assertThat(one.isSealed()).as(context).isTrue();
      assertThat(TieredStore.bytes(one)).as(context).isEqualTo(content);
      one.verify();
    }
  }
}
