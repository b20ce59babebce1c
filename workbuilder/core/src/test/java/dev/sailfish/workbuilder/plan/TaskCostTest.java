package dev.sailfish.workbuilder.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.testkit.Seeded;
import java.util.SplittableRandom;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

@Seeded
class TaskCostTest {
  private static final long MIB = 1L << 20;
  private static final double PER_GIB = 1.0 / (1L << 30);

  @Test
  void shouldNearlyFillTheContainers() {
    WorkTarget target = new TaskCost(8, 1, 10, 20 * PER_GIB).target(4200 * MIB);
    // Eight tasks take 20.3 s, seven 21.7 s; six would take 23.7 s, which is too much more.
    assertThat(target.bytes()).isEqualTo(675 * MIB);
    assertThat(target.reason())
        .isEqualTo(
            "675 MiB as reckoned: 7 tasks in 8 containers end after 21.7 s"
                + " (10.0 s to start, 20.0 s for each GiB, 1.00 of its cores)");
  }

  @Test
  void shouldTakeFewerTasksWhenTheStartIsWhatCosts() {
    TaskCost cost = new TaskCost(100, 1, 30, 20 * PER_GIB);
    // A hundred tasks of 82 MB end after 31.6 s, 28 of them after 35.7 s, 29 after 35.5 s.
    assertThat(cost.tasks(8192 * MIB, TaskCost.LEAST, TaskCost.GREATEST)).isEqualTo(29);
  }

  /** One that has a core for itself takes 5.1 s, as two do that share it. */
  @Test
  void shouldTakeFewerTasksWhenThereAreFewerCoresThanContainers() {
    assertThat(new TaskCost(2, 1, 2.9, 4.4 * PER_GIB).tasks(1000 * MIB, MIB, 1 << 30)).isEqualTo(2);
    assertThat(new TaskCost(2, 0.7, 2.9, 4.4 * PER_GIB).tasks(1000 * MIB, MIB, 1 << 30))
        .isEqualTo(1);
  }

  /** Else the pieces of one partition, cut where the index has keys, would be three. */
  @Test
  void shouldLeaveRoomForBordersThatAreNotWhereSharesEnd() {
    WorkTarget target = new TaskCost(2, 1, 3.3, 5.7 * PER_GIB).target(1035 * MIB);
    assertThat(target.bytes()).isBetween(1035 * MIB / 2 + 32 * MIB, 600 * MIB);
    assertThat(target.reason()).contains("2 tasks in 2 containers");
  }

  @Test
  void shouldKeepTheBounds() {
    TaskCost cost = new TaskCost(1000, 1, 0, PER_GIB);
    assertThat(cost.target(MIB).bytes()).isEqualTo(TaskCost.LEAST);
    assertThat(cost.target(0).bytes()).isEqualTo(TaskCost.LEAST);
    assertThat(cost.target(64 * MIB).bytes()).isEqualTo(TaskCost.LEAST * 9 / 8);
    assertThat(new TaskCost(1, 1, 60, PER_GIB).target(1L << 50).bytes())
        .isEqualTo(TaskCost.GREATEST);
  }

  @RepeatedTest(200)
  void shouldBeTheFewestTasksThatAreNearlyTheFastest(SplittableRandom random) {
    int containers = random.nextInt(1, 50);
    TaskCost cost =
        new TaskCost(
            containers,
            random.nextBoolean() ? 1 : random.nextDouble(0.01, 1),
            random.nextInt(3) * random.nextDouble(20),
            random.nextInt(3) * PER_GIB);
    long bytes = random.nextLong(1L << random.nextInt(20, 38));
    long tasks = cost.tasks(bytes, TaskCost.LEAST, TaskCost.GREATEST);
    long fewest = Math.max(1, PieceCutter.ceilDiv(bytes, TaskCost.GREATEST));
    double best = Double.MAX_VALUE;
    for (long n = fewest; n <= Math.max(fewest, bytes / TaskCost.LEAST); n++) {
      best = Math.min(best, cost.seconds(bytes, n));
    }
    double longest = best * 1.125;
    assertThat(cost.seconds(bytes, tasks)).isLessThanOrEqualTo(longest * 1.000001);
    for (long n = fewest; n < tasks; n++) {
      assertThat(cost.seconds(bytes, n)).isGreaterThanOrEqualTo(longest * 0.999999);
    }
  }

  @Test
  void shouldRefuseWhatIsNoCost() {
    assertThatThrownBy(() -> new TaskCost(0, 1, 1, 1)).hasMessageContaining("containers=0");
    assertThatThrownBy(() -> new TaskCost(1, 1.1, 1, 1)).hasMessageContaining("share=1.1");
    assertThatThrownBy(() -> new TaskCost(1, 0, 1, 1)).hasMessageContaining("share=0.0");
    assertThatThrownBy(() -> new TaskCost(1, 1, -1, 1)).hasMessageContaining("start=-1.0");
    assertThatThrownBy(() -> new TaskCost(1, 1, 1, Double.NaN))
        .hasMessageContaining("per byte=NaN");
    assertThatThrownBy(() -> new TaskCost(1, 1, 1, 1).target(5, 3, 2))
        .hasMessageContaining("bytes=5 least=3 greatest=2");
    assertThatThrownBy(() -> WorkTarget.given(0)).hasMessageContaining("target=0");
  }
}
