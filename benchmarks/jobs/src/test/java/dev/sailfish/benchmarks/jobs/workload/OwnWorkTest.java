package dev.sailfish.benchmarks.jobs.workload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.benchmarks.jobs.measure.JobMetrics;
import dev.sailfish.benchmarks.jobs.measure.Measurement;
import dev.sailfish.localcluster.client.JobRequest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class OwnWorkTest {
  private static final BenchPlan PLAN =
      new BenchPlan(
          3, 2, 4, List.of(Contender.SAILFISH_ISOLATED), 1, Codec.LZ4, Map.of("a.key", "b"));
  private static final PartitionedSort SORT =
      new PartitionedSort(PLAN, new JobJars(Path.of("/jars")), true, 1);

  @Test
  void itIsTheSameJobButForTheShuffle() {
    JobRequest whole = SORT.request(Contender.SAILFISH_ISOLATED, 7);
    JobRequest own = new OwnWork(SORT).request(Contender.SAILFISH_ISOLATED, 7);
    List<String> arguments = new ArrayList<>(whole.arguments());
    arguments.add("own-work");
    assertThat(own).isEqualTo(new JobRequest(whole.jar(), arguments, whole.configuration()));
    assertThat(own.configuration()).containsEntry("sailfish.am.warm.tasks", "isolated");
  }

  private static Optional<String> mistake(long records) {
    JobMetrics job =
        new JobMetrics(
            true, 1, 1, 1, 0, 0, List.of(), List.of(), Map.of("REDUCE_INPUT_RECORDS", records));
    return new OwnWork(SORT).mistake(new Measurement(0, 1, 0, 0, Map.of(), job), null);
  }

  @Test
  void itMustHaveSeenAllRecords() {
    assertThat(mistake(30_000)).isEmpty();
    assertThat(mistake(29_999)).contains("records reduced=29999 expected=30000");
  }
}
