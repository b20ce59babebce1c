package dev.sailfish.localcluster.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class MasterChoiceTest {
  private static Map<String, String> keys(ReduceWork work, WarmTasks tasks) {
    return new MasterChoice(work, Optional.of(tasks)).configuration();
  }

  @Test
  void sharedJvmsNeedSailfishsMaster() {
    for (WarmTasks tasks : List.of(WarmTasks.ISOLATED, WarmTasks.SHARED)) {
      assertThat(keys(ReduceWork.STOCK, tasks))
          .containsEntry("sailfish.am.warm.tasks", tasks.toString())
          .containsAllEntriesOf(ReduceWork.FIXED.configuration())
          .hasSize(2);
      assertThat(keys(ReduceWork.AUTO, tasks))
          .containsAllEntriesOf(ReduceWork.AUTO.configuration())
          .containsEntry("sailfish.am.warm.tasks", tasks.toString());
    }
  }

  @Test
  void jvmsOfTheirOwnLeaveTheMasterToTheJob() {
    assertThat(keys(ReduceWork.STOCK, WarmTasks.OFF))
        .containsExactly(Map.entry("sailfish.am.warm.tasks", "off"));
    assertThat(MasterChoice.STOCK.configuration()).isEmpty();
  }

  @Test
  void aContenderOfSailfishsMasterKeepsWhoDecides() {
    assertThat(MasterChoice.STOCK.with(WarmTasks.OFF).configuration())
        .isEqualTo(keys(ReduceWork.FIXED, WarmTasks.OFF));
    assertThat(
            new MasterChoice(ReduceWork.AUTO, Optional.empty())
                .with(WarmTasks.SHARED)
                .configuration())
        .isEqualTo(keys(ReduceWork.AUTO, WarmTasks.SHARED));
  }

  private static Optional<String> warning(WarmTasks tasks, String options) {
    Map<String, String> keys = new HashMap<>(tasks.configuration());
    keys.put(ReduceWork.MASTER_OPTIONS, options);
    return WarmTasks.warning(new JobRequest(Path.of("x.jar"), List.of(), keys));
  }

  @Test
  void sharedJvmsInHadoopsMasterAreWarnedOf() {
    assertThat(warning(WarmTasks.ISOLATED, "-Xmx1g").orElseThrow())
        .startsWith("sailfish.am.warm.tasks=isolated has no effect")
        .contains("SailfishAppMaster");
    assertThat(warning(WarmTasks.OFF, "-Xmx1g")).isEmpty();
    assertThat(warning(WarmTasks.SHARED, "-Xmx1g " + ReduceWork.SAILFISH)).isEmpty();
  }
}
