package dev.sailfish.hadoop.lineage.recompute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.hadoop.lineage.wire.OrderedInput;
import dev.sailfish.hadoop.lineage.wire.OrderedOutput;
import dev.sailfish.hadoop.lineage.wire.RecomputeOrder;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

class OrderedTaskTest {
  private static final RecomputeOrder ORDER =
      RecomputeOrder.newBuilder()
          .addOutputs(OrderedOutput.newBuilder().setFid(10).setTask(2))
          .addOutputs(OrderedOutput.newBuilder().setFid(11).setTask(2).setFile(2))
          .addOutputs(OrderedOutput.newBuilder().setFid(12).setTask(2).setMap(true).setFile(1))
          .addOutputs(OrderedOutput.newBuilder().setFid(13).setTask(3))
          .addInputs(OrderedInput.newBuilder().setPath("lineage:/in").setFid(20))
          .addInputs(OrderedInput.newBuilder().setPath("lineage://h:1/in").setFid(21))
          .build();

  @Test
  void countsTheFilesThatATaskCreates() {
    OrderedTask reduce = new OrderedTask(ORDER, false, 2);
    assertThat(reduce.next().getFid()).isEqualTo(10);
    assertThat(reduce.next().getFid()).isZero();
    assertThat(reduce.next().getFid()).isEqualTo(11);
    assertThat(reduce.next().getFid()).isZero();
    OrderedTask map = new OrderedTask(ORDER, true, 2);
    assertThat(map.next().getFid()).isZero();
    assertThat(map.next().getFid()).isEqualTo(12);
    assertThat(new OrderedTask(ORDER, true, 3).next().getFid()).isZero();
  }

  @Test
  void knowsInputsByPathAndStore() {
    OrderedTask task = new OrderedTask(ORDER, true, 0);
    assertThat(task.input(new Path("lineage:/in"))).isEqualTo(20);
    assertThat(task.input(new Path("lineage", "", "/in"))).isEqualTo(20);
    assertThat(task.input(new Path("lineage://h:1/in"))).isEqualTo(21);
    assertThat(task.input(new Path("lineage:/other"))).isZero();
  }

  @Test
  void eachStoreHasItsOwnTree() {
    OrderedTask task = new OrderedTask(ORDER, true, 0);
    task.overlay("a").remove("/x");
    assertThat(task.overlay("a").at("/x")).isEqualTo(new Overlay.Gone());
    assertThat(task.overlay("b").at("/x")).isEqualTo(new Overlay.Stored("/x"));
  }

  @Test
  void whoIsNoTaskOfSuchAJobIsToldSo() {
    assertThatThrownBy(() -> OrderedTask.of(new Configuration(false)))
        .hasMessageContaining(OrderFile.KEY)
        .hasMessageContaining("fs.lineage.impl");
  }
}
