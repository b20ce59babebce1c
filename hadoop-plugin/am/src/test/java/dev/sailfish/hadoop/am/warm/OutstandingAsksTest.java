package dev.sailfish.hadoop.am.warm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceRequest;
import org.junit.jupiter.api.Test;

class OutstandingAsksTest {
  private static final List<Integer> ANY_KIND =
      List.of(OutstandingAsks.FAILED_MAP, OutstandingAsks.MAP, OutstandingAsks.REDUCE);

  private final OutstandingAsks asks = new OutstandingAsks();

  private void ask(int priority, String place, int count) {
    asks.update(
        List.of(
            ResourceRequest.newInstance(Priority.newInstance(priority), place, Ids.SIZE, count)));
  }

  private Integer priority(Resource size, int steps) {
    Priority priority = asks.priority(size, Ids.HOST, Ids.RACK, ANY_KIND, steps);
    return priority == null ? null : priority.getPriority();
  }

  @Test
  void nothingWaits() {
    assertThat(priority(Ids.SIZE, 2)).isNull();
  }

  @Test
  void mapWithoutPlaceWaitsForNobody() {
    ask(OutstandingAsks.MAP, "*", 1);
    assertThat(priority(Ids.SIZE, 0)).isEqualTo(OutstandingAsks.MAP);
    asks.given(OutstandingAsks.MAP, Ids.SIZE, Ids.HOST, Ids.RACK);
    assertThat(priority(Ids.SIZE, 2)).isNull();
  }

  @Test
  void mapGoesWhereItsDataIsThenToItsRackThenAnywhere() {
    ask(OutstandingAsks.MAP, "elsewhere", 1);
    ask(OutstandingAsks.MAP, "/rack2", 1);
    ask(OutstandingAsks.MAP, "*", 1);
    assertThat(priority(Ids.SIZE, 1)).isNull();
    assertThat(priority(Ids.SIZE, 2)).isEqualTo(OutstandingAsks.MAP);
    ask(OutstandingAsks.MAP, Ids.RACK, 1);
    assertThat(priority(Ids.SIZE, 0)).isNull();
    assertThat(priority(Ids.SIZE, 1)).isEqualTo(OutstandingAsks.MAP);
    ask(OutstandingAsks.MAP, Ids.HOST, 1);
    assertThat(priority(Ids.SIZE, 0)).isEqualTo(OutstandingAsks.MAP);
  }

  @Test
  void failedMapsComeFirstThenMapsThenReduces() {
    for (int priority : List.of(OutstandingAsks.REDUCE, OutstandingAsks.MAP, 5)) {
      ask(priority, "*", 1);
    }
    for (int expected : ANY_KIND) {
      assertThat(priority(Ids.SIZE, 0)).isEqualTo(expected);
      asks.given(expected, Ids.SIZE, Ids.HOST, Ids.RACK);
    }
    assertThat(priority(Ids.SIZE, 0)).isNull();
  }

  @Test
  void reduceDoesNotWaitForMapsThatAreFar() {
    ask(OutstandingAsks.MAP, "elsewhere", 1);
    ask(OutstandingAsks.MAP, "*", 1);
    ask(OutstandingAsks.REDUCE, "*", 1);
    assertThat(priority(Ids.SIZE, 0)).isEqualTo(OutstandingAsks.REDUCE);
  }

  @Test
  void containerMustBeLargeEnough() {
    ask(OutstandingAsks.MAP, "*", 1);
    assertThat(priority(Resource.newInstance(1023, 1), 2)).isNull();
    assertThat(priority(Resource.newInstance(2048, 2), 2)).isEqualTo(OutstandingAsks.MAP);
  }

  @Test
  void newestNumberCounts() {
    ask(OutstandingAsks.MAP, "*", 3);
    ask(OutstandingAsks.MAP, "*", 0);
    assertThat(priority(Ids.SIZE, 2)).isNull();
  }
}
