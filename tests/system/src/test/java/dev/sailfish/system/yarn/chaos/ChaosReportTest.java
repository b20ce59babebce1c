package dev.sailfish.system.yarn.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.chaos.ChaosReport;
import dev.sailfish.chaos.Fault;
import dev.sailfish.chaos.Injection;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The report says what a run did not show, and how near jobs came to their last attempt. */
@Seeded
class ChaosReportTest {
  private static final Set<JobFault> KINDS =
      EnumSet.of(JobFault.BIT_FLIP, JobFault.KILL_MAP_ATTEMPT);

  private static JobResult result(JobPlan job, Set<JobFault> struck, EndedAttempt... attempts) {
    List<Injection<ChaosCluster>> injections =
        job.faults().stream()
            .map(
                fault ->
                    new Injection<>(
                        fault,
                        struck.contains((JobFault) fault.kind())
                            ? Optional.of("hit")
                            : Optional.empty()))
            .toList();
    return new JobResult(job, injections, true, Optional.empty(), 1, List.of(attempts), "", 0);
  }

  private static ChaosReport<ChaosCluster> report() {
    return new ChaosReport<>(1, JobResult.Recovery.columns());
  }

  @Test
  void shouldNameKindsThatNeverStruck(Seed seed) {
    ChaosPlan plan = ChaosPlan.of(seed.value(), 1, 2, KINDS, true);
    ChaosReport<ChaosCluster> report = report();
    report.add(result(plan.jobs().get(0), Set.of()));
    assertThat(report.neverStruck()).as("nothing was planned").isEmpty();
    report.add(result(plan.jobs().get(1), EnumSet.of(JobFault.KILL_MAP_ATTEMPT)));
    assertThat(report.neverStruck()).containsExactly(JobFault.BIT_FLIP);

    ChaosPlan again = plan.again(0, 2, report.neverStruck());
    assertThat(again.jobs()).hasSize(1);
    assertThat(again.jobs().get(0).ordinal()).isEqualTo(2);
    assertThat(again.jobs().get(0).faults())
        .extracting(Fault::kind)
        .containsExactly(JobFault.BIT_FLIP);
    report.add(result(again.jobs().get(0), KINDS));
    assertThat(report.neverStruck()).isEmpty();
  }

  @Test
  void highestAttemptShouldCountWhatStockCounts(Seed seed) {
    JobPlan job = ChaosPlan.of(seed.value(), 1, 2, KINDS, false).jobs().get(0);
    JobResult result =
        result(
            job,
            KINDS,
            new EndedAttempt("attempt_1_1_m_000000_0", "FAILED", "Too many fetch failures"),
            new EndedAttempt("attempt_1_1_m_000000_1000", "FAILED", "exit code 137"),
            new EndedAttempt("attempt_1_1_m_000000_1001", "KILLED", "speculation"),
            new EndedAttempt("attempt_1_1_m_000000_1002", "SUCCEEDED", ""),
            new EndedAttempt("attempt_1_1_m_000001_0", "FAILED", "exit code 137"),
            new EndedAttempt("attempt_1_1_r_000000_0", "SUCCEEDED", ""));
    assertThat(result.highestAttempt(true)).isEqualTo(3);
    assertThat(result.highestAttempt(false)).isEqualTo(1);
    ChaosReport<ChaosCluster> report = report();
    report.add(result);
    assertThat(report.text()).contains("highest_map_attempt=3 highest_reduce_attempt=1");
  }
}
