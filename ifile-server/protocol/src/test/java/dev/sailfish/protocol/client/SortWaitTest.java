package dev.sailfish.protocol.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.protocol.wire.AwaitSortedResponse;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class SortWaitTest {
  private static final long SECOND = 1_000_000_000L;
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final SortWait wait = new SortWait(PATIENCE, 0, 0);

  private static AwaitSortedResponse answer(long ahead, long sorted, boolean putOff) {
    return AwaitSortedResponse.newBuilder()
        .setNotSorted(true)
        .setChunksAhead((int) (ahead / 100))
        .setBytesAhead(ahead)
        .setChunkBytes(100)
        .setSortedBytes(sorted)
        .setPutOff(putOff)
        .setDetail("job=j partition=3 chunk=7 is not sorted yet: state=STABLE")
        .build();
  }

  private boolean isSlow(long atSeconds) {
    return wait.slow("chunkserver h:1", atSeconds * SECOND) != null;
  }

  @Test
  void whatAdvancesIsWaitedForLongerThanThePatience() {
    assertThat(wait.answered(answer(500, 0, false), 5 * SECOND)).isFalse();
    for (int i = 1; i <= 5; i++) {
      assertThat(wait.answered(answer(500 - 100 * i, 0, false), (5 + 9 * i) * SECOND)).isTrue();
      assertThat(isSlow(5 + 9 * i + 9)).isFalse();
    }
    assertThat(wait.answered(answer(0, 40, false), 59 * SECOND)).as("its own sort").isTrue();
    assertThat(isSlow(69)).isFalse();
    assertThat(isSlow(70)).isTrue();
  }

  @Test
  void whatStandsStillIsSlowAfterThePatience() {
    wait.answered(answer(500, 0, false), 0);
    assertThat(wait.answered(answer(500, 0, false), 9 * SECOND)).isFalse();
    assertThat(isSlow(10)).isFalse();
    assertThat(wait.slow("chunkserver h:1", 11 * SECOND))
        .hasMessageContaining("chunkserver h:1")
        .hasMessageContaining("chunk=7 is not sorted yet")
        .hasMessageContaining("not lost")
        .hasMessageContaining("before it chunks=5 bytes=500")
        .hasMessageContaining("No advance for 11000 ms, limit=10000 ms")
        .hasMessageContaining("OPERATIONS.md");
  }

  @Test
  void aSortThatIsPutOffDoesNotAdvanceWhateverMovesAroundIt() {
    wait.answered(answer(500, 0, true), 0);
    assertThat(wait.answered(answer(300, 0, true), 5 * SECOND)).isFalse();
    assertThat(wait.answered(answer(400, 0, false), 8 * SECOND)).as("taken up again").isTrue();
    assertThat(isSlow(18)).isFalse();
  }

  @Test
  void aServerThatBeganAnewMayAdvanceFromThere() {
    wait.answered(answer(100, 0, false), 0);
    assertThat(wait.answered(answer(900, 0, false), 5 * SECOND)).isFalse();
    assertThat(wait.answered(answer(800, 0, false), 9 * SECOND)).isTrue();
  }

  @Test
  void thePatienceDoesNotRunWhileTheReaderLooksElsewhere() {
    wait.answered(answer(500, 0, false), 0);
    wait.lookedAt(100 * SECOND);
    assertThat(isSlow(110)).isFalse();
    assertThat(isSlow(111)).isTrue();
  }

  @Test
  void whatAdvancesForEverIsSlowInTheEnd() {
    long left = 1_000_000;
    int seconds = 0;
    while (!isSlow(seconds)) {
      seconds++;
      wait.answered(answer(left--, 0, false), seconds * SECOND);
      assertThat(seconds).isLessThan(1000);
    }
    assertThat(seconds).isBetween(300, 310);
    assertThat(wait.slow("chunkserver h:1", seconds * SECOND))
        .hasMessageContaining("limit=300000 ms");
  }
}
