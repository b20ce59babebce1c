package dev.sailfish.hadoop.am;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.hadoop.lineage.recompute.OrderFile;
import dev.sailfish.hadoop.lineage.wire.OrderedOutput;
import dev.sailfish.hadoop.lineage.wire.RecomputeOrder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.TypeConverter;
import org.apache.hadoop.mapreduce.v2.api.records.TaskType;
import org.apache.hadoop.mapreduce.v2.util.MRBuilderUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NeededTasksTest {
  @TempDir private Path directory;

  private static OrderedOutput map(int task) {
    return OrderedOutput.newBuilder().setMap(true).setTask(task).build();
  }

  private static OrderedOutput reduce(int task) {
    return OrderedOutput.newBuilder().setTask(task).build();
  }

  private static boolean has(NeededTasks needed, TaskType type, int number) {
    JobID job = new JobID("1700000000000", 1);
    return needed.has(MRBuilderUtils.newTaskId(TypeConverter.toYarn(job), number, type));
  }

  @Test
  void anyOtherJobRunsAsAWhole() throws IOException {
    NeededTasks needed = NeededTasks.of(new Configuration(false), false);
    assertThat(needed.isAll()).isTrue();
    assertThat(needed.hasReduces()).isTrue();
    assertThat(has(needed, TaskType.MAP, 7)).isTrue();
    assertThat(has(needed, TaskType.REDUCE, 7)).isTrue();
    assertThat(needed).hasToString("all");
  }

  @Test
  void aReduceTaskNeedsAllMaps() throws IOException {
    Path file = directory.resolve("order");
    RecomputeOrder order =
        RecomputeOrder.newBuilder().addOutputs(reduce(2)).addOutputs(map(0)).build();
    Files.write(file, order.toByteArray());
    Configuration conf = new Configuration(false);
    conf.set(OrderFile.KEY, file.toString());
    NeededTasks needed = NeededTasks.of(conf, false);
    assertThat(needed.isAll()).isFalse();
    assertThat(has(needed, TaskType.MAP, 7)).isTrue();
    assertThat(has(needed, TaskType.REDUCE, 2)).isTrue();
    assertThat(has(needed, TaskType.REDUCE, 1)).isFalse();
    assertThat(needed).hasToString("maps all, reduces {2}");
  }

  @Test
  void whereOnlyMapsHaveLostFilesOnlyTheyRun() {
    NeededTasks needed =
        NeededTasks.of(
            RecomputeOrder.newBuilder().addOutputs(map(3)).addOutputs(map(5)).build(), true);
    assertThat(needed.readsKept()).isFalse();
    assertThat(needed.hasReduces()).isFalse();
    assertThat(has(needed, TaskType.MAP, 3)).isTrue();
    assertThat(has(needed, TaskType.MAP, 4)).isFalse();
    assertThat(has(needed, TaskType.REDUCE, 0)).isFalse();
    assertThat(needed).hasToString("maps {3, 5}, reduces {}");
  }

  @Test
  void whereMapOutputIsKeptNoMapRuns() {
    RecomputeOrder order = RecomputeOrder.newBuilder().addOutputs(reduce(2)).build();
    NeededTasks needed = NeededTasks.of(order, true);
    assertThat(needed.readsKept()).isTrue();
    assertThat(has(needed, TaskType.MAP, 7)).isFalse();
    assertThat(has(needed, TaskType.REDUCE, 2)).isTrue();
    assertThat(needed).hasToString("maps {}, reduces {2}");
  }

  @Test
  void whereAMapHasLostAFileTooAllMapsRun() {
    RecomputeOrder order =
        RecomputeOrder.newBuilder().addOutputs(reduce(2)).addOutputs(map(0)).build();
    NeededTasks needed = NeededTasks.of(order, true);
    assertThat(needed.readsKept()).isFalse();
    assertThat(has(needed, TaskType.MAP, 7)).isTrue();
  }
}
