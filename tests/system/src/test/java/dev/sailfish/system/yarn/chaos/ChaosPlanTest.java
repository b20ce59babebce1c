package dev.sailfish.system.yarn.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.chaos.Fault;
import dev.sailfish.chaos.FaultKind;
import dev.sailfish.jobs.RandomJobSpec;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** A plan follows from its seed, and has what was asked for. */
@Seeded
class ChaosPlanTest {
  private static final Set<JobFault> ALL = EnumSet.allOf(JobFault.class);

  @Test
  void sameSeedShouldGiveTheSamePlan(Seed seed) {
    ChaosPlan once = ChaosPlan.of(seed.value(), 7, 25, ALL, true);
    assertThat(ChaosPlan.of(seed.value(), 7, 25, ALL, true)).isEqualTo(once);
    assertThat(ChaosPlan.of(seed.value() + 1, 7, 25, ALL, true).jobs()).isNotEqualTo(once.jobs());
  }

  @Test
  void shouldHaveAllFaultsAndDealEachKindEquallyOften(Seed seed) {
    ChaosPlan plan = ChaosPlan.of(seed.value(), 13, 3 * ALL.size(), ALL, true);
    assertThat(plan.jobs()).hasSize(14);
    assertThat(plan.jobs().get(0).faults()).isEmpty();
    Map<FaultKind<ChaosCluster>, Long> counts =
        plan.jobs().stream()
            .flatMap(job -> job.faults().stream())
            .collect(Collectors.groupingBy(Fault::kind, Collectors.counting()));
    assertThat(counts.keySet()).isEqualTo(ALL);
    assertThat(counts.values()).allMatch(count -> count >= 2 && count <= 4);
  }

  /** Attempts, timeouts, blacklisting, speculation and memory are stock's and Sailfish's own. */
  @Test
  void jobsShouldHaveTheSettingsOfUsers(Seed seed) {
    Set<String> ours =
        Set.of(
            RandomJobSpec.MAP_MS,
            RandomJobSpec.REDUCE_MS,
            "mapreduce.map.memory.mb",
            "mapreduce.reduce.memory.mb",
            "mapreduce.map.java.opts",
            "mapreduce.reduce.java.opts",
            "mapreduce.client.completion.pollinterval",
            "mapreduce.job.reduce.slowstart.completedmaps",
            "mapreduce.job.speculative.retry-after-speculate",
            "mapreduce.map.output.compress",
            "mapreduce.map.output.compress.codec",
            "sailfish.am.warm.tasks",
            "sailfish.application.master",
            "sailfish.reduce.work",
            "sailfish.reduce.work.target",
            RandomJobSpec.SEVERAL_PARTITIONS,
            "sailfish.chunk.size",
            "sailfish.encrypt.at.rest",
            "sailfish.iappender.block.size",
            "sailfish.iappender.memory",
            "sailfish.imerger.memory");
    for (JobPlan job : ChaosPlan.of(seed.value(), 20, 60, ALL, true).jobs()) {
      assertThat(ours).as("%s", job).containsAll(job.settings().keySet());
      assertThat(job.settings())
          .containsEntry("mapreduce.map.memory.mb", "1024")
          .containsEntry("mapreduce.map.java.opts", "-Xmx820m");
    }
  }

  @Test
  void tasksShouldShareJvmsInAllModes(Seed seed) {
    Set<String> modes =
        ChaosPlan.of(seed.value(), 6, 6, ALL, false).jobs().stream()
            .filter(JobPlan::auto)
            .map(job -> job.settings().get("sailfish.am.warm.tasks"))
            .collect(Collectors.toSet());
    assertThat(modes).containsExactlyInAnyOrder("isolated", "shared", "off");
  }

  @Test
  void noJobShouldMeetAKindTwiceThatMayComeOnce(Seed seed) {
    for (JobPlan job : ChaosPlan.of(seed.value(), 20, 100, ALL, false).jobs()) {
      List<JobFault> kinds = job.faults().stream().map(fault -> (JobFault) fault.kind()).toList();
      Map<JobFault, Long> counts =
          kinds.stream().collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
      counts.forEach(
          (kind, count) -> assertThat(!kind.onceInAJob() || count == 1).as("%s", job).isTrue());
      assertThat(job.faults()).allMatch(fault -> fault.kind().moments().contains(fault.moment()));
    }
  }
}
