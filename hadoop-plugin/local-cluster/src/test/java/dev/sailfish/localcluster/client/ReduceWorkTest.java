package dev.sailfish.localcluster.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ReduceWorkTest {
  private static final String OPTIONS = "yarn.app.mapreduce.am.command-opts";

  private static Optional<String> warning(Map<String, String> keys, String... arguments) {
    Map<String, String> configuration = new HashMap<>(ReduceWork.AUTO.configuration());
    configuration.putAll(keys);
    return ReduceWork.warning(new JobRequest(Path.of("x.jar"), List.of(arguments), configuration));
  }

  @Test
  void optionsWithoutTheClassAreWarnedOf() {
    assertThat(warning(Map.of(OPTIONS, "-Xmx700m")).orElseThrow())
        .startsWith("sailfish.reduce.work=auto has no effect")
        .contains(OPTIONS + "=-Xmx700m")
        .contains("<ADD_OPENS> dev.sailfish.hadoop.am.SailfishAppMaster");
  }

  @Test
  void theJobsOwnOptionsCountToo() {
    assertThat(warning(Map.of(), "Main", "-D" + OPTIONS + "=-Xmx1g", "in")).isPresent();
    assertThat(warning(Map.of(), "Main", "-D", OPTIONS + "=-Xmx1g", "in")).isPresent();
    assertThat(warning(Map.of(OPTIONS, "-Xmx1g"), "-Dsailfish.reduce.work=fixed")).isEmpty();
  }

  @Test
  void optionsWithTheClassAreLeftAlone() {
    assertThat(warning(Map.of())).isEmpty();
    assertThat(warning(Map.of(OPTIONS, "-Xmx1g " + ReduceWork.SAILFISH))).isEmpty();
    assertThat(warning(Map.of(OPTIONS, "-Xmx1g ${sailfish.application.master}"))).isEmpty();
  }

  @Test
  void aJobThatDoesNotAskForAutoIsLeftAlone() {
    assertThat(warning(Map.of(OPTIONS, "-Xmx1g", "sailfish.reduce.work", "fixed"))).isEmpty();
  }

  @Test
  void aTagIsOneMore() {
    JobRequest request = new JobRequest(Path.of("x.jar"), List.of(), Map.of());
    assertThat(request.tagged("a").tagged("b").configuration())
        .containsExactly(Map.entry("mapreduce.job.tags", "a,b"));
  }
}
