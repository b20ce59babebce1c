package dev.sailfish.workflow.share;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.lineage.edge.recompute.Dependency;
import dev.sailfish.lineage.edge.recompute.DependencyType;
import dev.sailfish.lineage.edge.recompute.Lineage;
import dev.sailfish.lineage.edge.recompute.RecomputePlan;
import dev.sailfish.lineage.edge.recompute.RecomputePlanner;
import dev.sailfish.lineage.edge.resource.ShareTransfer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Dependency 10 makes file 1, 20 makes 2 of 1, 30 makes 3 of nothing; all are lost. */
class AllotmentsTest {
  private static final Dependency FIRST = dependency(10, List.of(), 1);
  private static final Dependency SECOND = dependency(20, List.of(1L), 2);
  private static final Dependency THIRD = dependency(30, List.of(), 3);
  private static final Map<Long, Dependency> MAKERS = Map.of(1L, FIRST, 2L, SECOND, 3L, THIRD);

  private final RecomputePlan plan =
      new RecomputePlanner(
              new Lineage() {
                @Override
                public boolean isAvailable(long fid) {
                  return false;
                }

                @Override
                public Optional<Dependency> maker(long fid) {
                  return Optional.ofNullable(MAKERS.get(fid));
                }
              })
          .plan(List.of(1L, 2L, 3L));

  private static Dependency dependency(long id, List<Long> inputs, long output) {
    return new Dependency(id, inputs, List.of(output), DependencyType.WIDE);
  }

  private static Map<String, ApplicationLook> applications(ApplicationLook... looks) {
    Map<String, ApplicationLook> all = new LinkedHashMap<>();
    for (ApplicationLook look : looks) {
      all.put(look.id(), look);
    }
    return all;
  }

  private Map<Long, Allotment> of(
      Scheduling scheduling, Map<Long, Set<String>> waiting, ApplicationLook... looks) {
    return new Allotments(scheduling, ShareTransfer.DEFAULT, "recompute")
        .of(plan, Set.of(10L, 30L), waiting, applications(looks));
  }

  @Test
  void prioritiesAreInheritedThroughTheSteps() {
    assertThat(
            of(
                new Scheduling(Scheduling.Kind.PRIORITIES, 9),
                Map.of(2L, Set.of("a", "b", "gone")),
                new ApplicationLook("a", "u", "q", 3, 5, 5000),
                new ApplicationLook("b", "u", "q", 7, 5, 5000)))
        .containsOnly(
            Map.entry(10L, new Allotment("recompute", 7, 0)),
            Map.entry(20L, new Allotment("recompute", 7, 0)),
            Map.entry(30L, new Allotment("recompute", 0, 0)));
  }

  @Test
  void sharesAreGivenByWhoWaits() {
    assertThat(
            of(
                new Scheduling(Scheduling.Kind.SHARES, 0),
                Map.of(2L, Set.of("a", "b", "")),
                new ApplicationLook("b", "u", "qb", 0, 20, 5000),
                new ApplicationLook("a", "u", "qa", 0, 10, 5000)))
        .containsOnly(
            Map.entry(10L, new Allotment("qb", 0, 6)), // 1/2 + 20 % of 30
            Map.entry(20L, new Allotment("qb", 0, 1)),
            Map.entry(30L, new Allotment("recompute", 0, 0)));
  }

  @Test
  void prioritiesAreUsedOnlyWhereThereAreSome() {
    assertThat(new Scheduling(Scheduling.Kind.PRIORITIES, 1).hasPriorities()).isTrue();
    assertThat(new Scheduling(Scheduling.Kind.PRIORITIES, 0).hasPriorities()).isFalse();
    assertThat(new Scheduling(Scheduling.Kind.SHARES, 9).hasPriorities()).isFalse();
  }
}
