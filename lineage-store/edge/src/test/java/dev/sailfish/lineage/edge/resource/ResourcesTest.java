package dev.sailfish.lineage.edge.resource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import dev.sailfish.lineage.edge.recompute.Dependency;
import dev.sailfish.lineage.edge.recompute.DependencyType;
import dev.sailfish.lineage.edge.recompute.Lineage;
import dev.sailfish.lineage.edge.recompute.RecomputePlan;
import dev.sailfish.lineage.edge.recompute.RecomputePlanner;
import dev.sailfish.lineage.edge.resource.PriorityInheritance.WaitingJob;
import dev.sailfish.lineage.edge.resource.ShareTransfer.Job;
import dev.sailfish.lineage.edge.resource.ShareTransfer.Shares;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** The example of section 5 of the paper: F1 and F2 are lost, and R1 and R2 recompute them. */
class ResourcesTest {
  private static final Offset<Double> ROUNDING = within(1e-12);
  private static final int LOWEST = 0;

  /** R1 makes F1, R2 makes F2, and R3 makes F3 of F2. */
  private static final Map<Long, Dependency> MAKERS =
      Map.of(1L, maker(1, List.of()), 2L, maker(2, List.of()), 3L, maker(3, List.of(2L)));

  private static Dependency maker(long file, List<Long> inputs) {
    return new Dependency(file, inputs, List.of(file), DependencyType.WIDE);
  }

  private static RecomputePlan plan() {
    Lineage lineage =
        new Lineage() {
          @Override
          public boolean isAvailable(long fid) {
            return false;
          }

          @Override
          public Optional<Dependency> maker(long fid) {
            return Optional.ofNullable(MAKERS.get(fid));
          }
        };
    return new RecomputePlanner(lineage).plan(List.of(1L, 3L));
  }

  @Test
  void prioritiesAreInheritedFromTheHighestThatWaits() {
    WaitingJob second = new WaitingJob(2, Set.of(2L));
    WaitingJob third = new WaitingJob(3, Set.of(2L));
    assertThat(PriorityInheritance.priorities(plan(), List.of(), LOWEST))
        .isEqualTo(Map.of(1L, 0, 2L, 0, 3L, 0));
    assertThat(PriorityInheritance.priorities(plan(), List.of(second), LOWEST))
        .isEqualTo(Map.of(1L, 0, 2L, 2, 3L, 0));
    assertThat(PriorityInheritance.priorities(plan(), List.of(third, second), LOWEST))
        .isEqualTo(Map.of(1L, 0, 2L, 3, 3L, 0));
  }

  @Test
  void whatAFileIsMadeOfInheritsToo() {
    assertThat(
            PriorityInheritance.priorities(
                plan(), List.of(new WaitingJob(5, Set.of(3L)), new WaitingJob(1, Set.of(2L))), 0))
        .isEqualTo(Map.of(1L, 0, 2L, 5, 3L, 5));
  }

  @Test
  void aWaitingJobGivesAPartOfItsShare() {
    Job first = new Job("J1", 4, Set.of());
    Job second = new Job("J2", 5, Set.of(2L));
    Job third = new Job("J3", 10, Set.of(2L));
    Set<Long> runnable = Set.of(1L, 2L);
    Shares shares = ShareTransfer.DEFAULT.shares(plan(), runnable, List.of(first, second));
    assertThat(shares.jobs()).isEqualTo(Map.of("J1", 4.0, "J2", 4.0));
    assertThat(shares.steps()).isEqualTo(Map.of(1L, 0.5, 2L, 1.5));
    shares = ShareTransfer.DEFAULT.shares(plan(), runnable, List.of(first, second, third));
    assertThat(shares.jobs()).isEqualTo(Map.of("J1", 4.0, "J2", 4.0, "J3", 8.0));
    assertThat(shares.steps()).isEqualTo(Map.of(1L, 0.5, 2L, 3.5));
  }

  @Test
  void theSumStaysAndAShareComesBackInTheEnd() {
    Job both = new Job("J", 10, Set.of(1L, 3L));
    Shares shares = ShareTransfer.DEFAULT.shares(plan(), Set.of(1L, 2L), List.of(both));
    assertThat(shares.steps().get(1L)).isEqualTo(0.5 + 1, ROUNDING);
    assertThat(shares.steps().get(2L)).as("for F3, transitively").isEqualTo(0.5 + 1, ROUNDING);
    assertThat(shares.jobs().get("J") + 3).isEqualTo(11, ROUNDING);
    assertThat(ShareTransfer.DEFAULT.shares(plan(), Set.of(), List.of(both)).jobs())
        .isEqualTo(Map.of("J", 10.0));
  }

  @Test
  void sharesAreParts() {
    assertThatIllegalArgumentException().isThrownBy(() -> new ShareTransfer(0, 0.2));
    assertThatIllegalArgumentException().isThrownBy(() -> new ShareTransfer(1, 1.2));
    assertThatIllegalArgumentException().isThrownBy(() -> new Job("J", -1, Set.of()));
  }
}
