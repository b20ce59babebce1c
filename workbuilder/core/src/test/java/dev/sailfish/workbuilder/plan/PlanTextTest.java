package dev.sailfish.workbuilder.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class PlanTextTest {
  private static final long MIB = 1L << 20;
  private static final byte[] BORDER = {'m', 0};

  private static ReduceWork whole(int number, int first, int last, long bytes) {
    return new ReduceWork(number, first, last, 0, null, null, 7, bytes, bytes);
  }

  private static ReducePlan split() {
    return new ReducePlan(
        WorkTarget.given(100 * MIB),
        List.of(
            whole(0, 0, 1, 50 * MIB),
            new ReduceWork(1, 2, 2, 0, null, BORDER, 5, 90 * MIB, 99 * MIB),
            new ReduceWork(2, 2, 2, 1, BORDER, null, 6, 120 * MIB, 130 * MIB),
            whole(3, 3, 3, 200 * MIB)),
        List.of(new Refusal(3, "keys are encrypted")),
        List.of(new HeavyKey(2, "\"z\"", 110 * MIB)),
        List.of());
  }

  private static ReducePlan together() {
    return new ReducePlan(
        WorkTarget.given(1L << 30),
        List.of(whole(0, 0, 3, 460 * MIB)),
        List.of(),
        List.of(),
        List.of());
  }

  @Test
  void shouldSayAllInOneSentence() {
    assertThat(PlanText.summary(split()))
        .isEqualTo(
            "4 partitions, 460 MiB -> 4 reduce tasks of 115 MiB: 1 partition split, 2 coalesced;"
                + " 1 kept whole, 1 heavy key; target 100 MiB as given");
  }

  @Test
  void shouldPrintARowForEachWork() {
    assertThat(PlanText.table(split()).lines().skip(1))
        .containsExactly(
            "  work  partition          records       bytes     at most  keys",
            "     0  0-1                      7      50 MiB      50 MiB  all",
            "     1  2.0                      5      90 MiB      99 MiB  to before \"m\\x00\"",
            "     2  2.1                      6     120 MiB     130 MiB  from \"m\\x00\" to the end",
            "     3  3                        7     200 MiB     200 MiB  all",
            "partition 3 stays whole: keys are encrypted",
            "partition 2 has a heavy key: \"z\", 110 MiB or more");
  }

  @Test
  void shouldTellWhatHasChanged() {
    assertThat(PlanText.difference(split(), together()).lines())
        .containsExactly(
            "target: 100 MiB as given -> 1.0 GiB as given",
            "reduce tasks: 4 -> 1",
            "partitions 0-1: together as 0-1, 50 MiB -> together as 0-3, 460 MiB",
            "partition 2: 2 pieces (90 MiB to \"m\\x00\", 120 MiB)"
                + " -> together as 0-3, 460 MiB",
            "partition 3: whole, 200 MiB -> together as 0-3, 460 MiB",
            "no longer: partition 3 stays whole: keys are encrypted",
            "no longer: partition 2 has a heavy key: \"z\", 110 MiB or more");
    assertThat(PlanText.difference(together(), split()).lines())
        .contains("new: partition 3 stays whole: keys are encrypted");
    assertThat(PlanText.difference(split(), split())).isEmpty();
  }

  @Test
  void shouldPrintSizes() {
    assertThat(List.of(0L, 1023L, 1024L, 10 * MIB - 1, 120 * MIB, 3L << 40, Long.MAX_VALUE))
        .extracting(PlanText::size)
        .containsExactly("0 B", "1023 B", "1.0 KiB", "10.0 MiB", "120 MiB", "3.0 TiB", "8.0 EiB");
  }
}
