package dev.sailfish.hadoop.am;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.hadoop.auto.WorkCounter;
import dev.sailfish.workbuilder.plan.PartitionTotal;
import dev.sailfish.workbuilder.plan.ReducePlan;
import dev.sailfish.workbuilder.plan.ReduceWork;
import dev.sailfish.workbuilder.plan.WorkTarget;
import java.util.List;
import org.apache.hadoop.mapreduce.Counters;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PieceSumsTest {
  private static final byte[] BORDER = {1};
  private static final long LARGE = Long.MAX_VALUE - 1;
  private static final int MAPS = 7;

  /** Partition 1 is split into works 1 and 2. */
  private final ReducePlan plan =
      new ReducePlan(
          WorkTarget.given(9),
          List.of(
              new ReduceWork(0, 0, 0, 0, null, null, 7, 7, 7),
              new ReduceWork(1, 1, 1, 0, null, BORDER, 7, 7, 7),
              new ReduceWork(2, 1, 1, 1, BORDER, null, 7, 7, 7)),
          List.of(),
          List.of(),
          List.of(new PartitionTotal(1, 5, 50, LARGE + 3)),
          MAPS);

  private final Counters[] counters = {new Counters(), new Counters(), new Counters()};

  @BeforeEach
  void deliver() {
    deliver(1, 2, 20, LARGE);
    deliver(2, 3, 30, 3);
  }

  private void deliver(int work, long records, long bytes, long checksum) {
    count(work, "PIECES_READ", 1);
    count(work, "PIECE_RECORDS", records);
    count(work, "PIECE_BYTES", bytes);
    count(work, "PIECE_CHECKSUM", checksum);
  }

  private void count(int work, String name, long value) {
    counters[work].findCounter(WorkCounter.GROUP, name).increment(value);
  }

  private String compare() {
    return compare(MAPS);
  }

  private String compare(int succeeded) {
    return new PieceSums(plan, succeeded).compare(number -> counters[number]);
  }

  @Test
  void shouldAcceptPiecesThatAddUp() {
    assertThat(compare()).isNull();
  }

  @Test
  void shouldNameThePartitionWhoseRecordsAreOthers() {
    for (String name : List.of("PIECE_RECORDS", "PIECE_BYTES", "PIECE_CHECKSUM")) {
      count(2, name, 1);
      assertThat(compare()).contains("partition=1", "in 2 pieces", "sailfish.reduce.work=fixed");
      count(2, name, -1);
      assertThat(compare()).isNull();
    }
  }

  /** As when a chunk is lost, and its map fails for good when it runs again. */
  @Test
  void shouldNotCompareWhenAMapWasGivenUpAfterThePlan() {
    count(2, "PIECE_RECORDS", -1);
    assertThat(compare(MAPS)).contains("partition=1");
    assertThat(compare(MAPS - 1)).isNull();
  }

  @Test
  void shouldNotCompareWhatWasNotReadToTheEnd() {
    counters[2] = new Counters();
    assertThat(compare()).isNull();
  }
}
