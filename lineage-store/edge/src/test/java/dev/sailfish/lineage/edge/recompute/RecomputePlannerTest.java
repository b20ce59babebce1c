package dev.sailfish.lineage.edge.recompute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sailfish.lineage.edge.recompute.Unrecoverable.Cause;
import dev.sailfish.testkit.Seeded;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class RecomputePlannerTest {
  private final LineageRecords lineage = new LineageRecords();

  private static List<Long> ids(RecomputePlan plan) {
    return plan.steps().stream().map(RecomputeStep::id).toList();
  }

  @Test
  void theSearchStopsAtWhatIsAvailable() {
    lineage.wide(10, List.of(), 1L).wide(20, List.of(1L), 2L).wide(30, List.of(2L), 3L);
    assertThat(ids(lineage.plan(3L))).containsExactly(10L, 20L, 30L);
    lineage.available(1L);
    RecomputePlan plan = lineage.plan(3L);
    assertThat(ids(plan)).containsExactly(20L, 30L);
    assertThat(plan.roots()).extracting(RecomputeStep::id).containsExactly(20L);
    assertThat(plan.step(30).orElseThrow().after()).containsExactly(20L);
    assertThat(plan.step(30).orElseThrow().level()).isEqualTo(1);
    lineage.available(3L);
    assertThat(lineage.plan(3L).steps()).isEmpty();
  }

  @Test
  void aDependencyRunsOnceForItsLostOutputsThatAreWanted() {
    lineage.wide(10, List.of(9L), 1L, 2L, 3L, 4L).available(9L, 2L);
    lineage.wide(20, List.of(1L, 2L), 5L);
    RecomputePlan plan = lineage.plan(3L, 5L);
    assertThat(plan.step(10).orElseThrow().outputs()).containsExactly(1L, 3L);
    assertThat(ids(plan)).containsExactly(10L, 20L);
  }

  /** Deleted files are in the plan when a lost one needs them, until what needs them is there. */
  @Test
  void deletedFilesAreMadeAgainOnTheWay() {
    lineage.wide(10, List.of(), 1L).wide(20, List.of(1L), 2L).wide(30, List.of(2L), 3L);
    assertThat(ids(lineage.plan(3L))).containsExactly(10L, 20L, 30L);
    lineage.available(1L);
    assertThat(ids(lineage.plan(3L))).containsExactly(20L, 30L);
    lineage.available(2L).available.remove(1L);
    assertThat(ids(lineage.plan(3L))).as("1 has gone again").containsExactly(30L);
    lineage.available(3L).available.remove(2L);
    assertThat(lineage.plan(3L).steps()).isEmpty();
  }

  @Test
  void aNarrowDependencyReadsOneInputForEachOutput() {
    lineage.wide(10, List.of(), 1L).wide(11, List.of(), 2L).narrow(20, List.of(1L, 2L), 3L, 4L);
    RecomputePlan plan = lineage.plan(4L);
    assertThat(ids(plan)).containsExactly(11L, 20L);
    assertThat(plan.step(20).orElseThrow().inputs()).containsExactly(2L);
    assertThat(ids(lineage.plan(3L, 4L))).containsExactlyInAnyOrder(10L, 11L, 20L);
  }

  @Test
  void withoutLineageAFileAndWhatIsMadeOfItAreLost() {
    lineage.wide(20, List.of(1L, 8L), 2L).wide(30, List.of(2L), 3L).available(8L);
    lineage.wide(40, List.of(8L), 4L);
    RecomputePlan plan = lineage.plan(3L, 4L);
    assertThat(ids(plan)).containsExactly(40L);
    assertThat(plan.unrecoverable())
        .containsExactlyInAnyOrder(
            new Unrecoverable(1, Cause.NO_LINEAGE, 1),
            new Unrecoverable(2, Cause.NO_LINEAGE, 1),
            new Unrecoverable(3, Cause.NO_LINEAGE, 1));
    assertThat(new Unrecoverable(3, Cause.NO_LINEAGE, 1))
        .hasToString(
            "file 0000000000000003 is LOST: file 0000000000000001 is not available and has no"
                + " lineage");
  }

  @Test
  void damagedLineageWithACycleEnds() {
    lineage.wide(10, List.of(3L), 1L).wide(20, List.of(1L), 2L).wide(30, List.of(2L), 3L);
    RecomputePlan plan = lineage.plan(2L);
    assertThat(plan.steps()).isEmpty();
    assertThat(plan.unrecoverable())
        .extracting(Unrecoverable::fid)
        .containsExactlyInAnyOrder(1L, 2L, 3L);
    assertThat(plan.unrecoverable())
        .allSatisfy(lost -> assertThat(lost.cause()).isEqualTo(Cause.CYCLE));
  }

  @Test
  void aCycleOfDependenciesWithoutOneOfFilesEndsToo() {
    lineage.narrow(10, List.of(9L, 2L), 1L, 3L).wide(20, List.of(1L), 2L).available(9L);
    RecomputePlan plan = lineage.plan(3L);
    assertThat(plan.steps()).isEmpty();
    assertThat(plan.unrecoverable()).extracting(Unrecoverable::fid).contains(3L);
  }

  @Test
  void aLongChainNeedsNoStack() {
    lineage.wide(1, List.of(), 1L);
    for (long file = 2; file <= 200_000; file++) {
      lineage.wide(file, List.of(file - 1), file);
    }
    assertThat(lineage.plan(200_000L).steps()).hasSize(200_000);
  }

  @Test
  void wrongDependenciesAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> lineage.narrow(1, List.of(1L, 2L), 3L))
        .withMessage("dependency 0000000000000001 is NARROW, with inputs=2 outputs=1");
    assertThatIllegalArgumentException().isThrownBy(() -> lineage.wide(1, List.of(1L)));
  }

  @Test
  void temporaryFilesAreRecomputedOnlyOnRequest() {
    TemporaryFiles temporary = new TemporaryFiles(List.of("/tmp", "/user/a/scratch"));
    assertThat(temporary.isTemporary("/tmp/x", false)).isTrue();
    assertThat(temporary.isTemporary("/tmp", false)).isTrue();
    assertThat(temporary.isTemporary("/tmpx", false)).isFalse();
    assertThat(temporary.isTemporary("/data/x", true)).isTrue();
    assertThat(new TemporaryFiles(List.of("/")).isTemporary("/x", false)).isTrue();
    TemporaryFiles named = new TemporaryFiles(List.of("_temporary"));
    assertThat(named.isTemporary("/out/_temporary/0/part-0", false)).isTrue();
    assertThat(named.isTemporary("/out/_temporary", false)).isFalse();
    assertThat(named.isTemporary("/out/a_temporary/b", false)).isFalse();
    assertThatIllegalArgumentException().isThrownBy(() -> new TemporaryFiles(List.of("")));
    assertThatIllegalArgumentException().isThrownBy(() -> new TemporaryFiles(List.of("tmp/a")));
    assertThatIllegalArgumentException().isThrownBy(() -> new TemporaryFiles(List.of("/tmp/")));
    assertThat(RecoveryModel.PROACTIVE.wants(false, false)).isTrue();
    assertThat(RecoveryModel.PROACTIVE.wants(true, false)).isFalse();
    assertThat(RecoveryModel.PROACTIVE.wants(true, true)).isTrue();
    assertThat(RecoveryModel.REACTIVE.wants(false, false)).isFalse();
    assertThat(RecoveryModel.REACTIVE.wants(false, true)).isTrue();
  }

  /** All that is needed, nothing that is available, and inputs before what is made of them. */
  @Seeded
  @RepeatedTest(200)
  void plansOfRandomGraphsAreWholeMinimalAndInOrder(SplittableRandom random) {
    List<Long> files = randomLineage(random);
    Set<Long> targets = new HashSet<>();
    for (int i = 0; i < 5; i++) {
      targets.add(files.get(random.nextInt(files.size())));
    }
    RecomputePlan plan = new RecomputePlanner(lineage).plan(targets);
    Set<Long> made = new HashSet<>(lineage.available);
    Set<Long> used = new HashSet<>(targets);
    Set<Long> dependencies = new HashSet<>();
    for (RecomputeStep step : plan.steps()) {
      assertThat(dependencies.add(step.id())).as("once").isTrue();
      assertThat(made).as("inputs of %s", step).containsAll(step.inputs());
      assertThat(lineage.available).doesNotContainAnyElementsOf(step.outputs());
      for (long output : step.outputs()) {
        Dependency maker = step.dependency();
        assertThat(step.inputs()).containsAll(maker.inputsOf(maker.outputs().indexOf(output)));
      }
      made.addAll(step.outputs());
      used.addAll(step.inputs());
      for (long before : step.after()) {
        assertThat(plan.step(before).orElseThrow().level()).isLessThan(step.level());
      }
    }
    plan.steps().forEach(step -> assertThat(used).containsAll(step.outputs()));
    Set<Long> lost = new HashSet<>();
    plan.unrecoverable().forEach(one -> lost.add(one.fid()));
    for (long target : targets) {
      assertThat(made.contains(target)).isNotEqualTo(lost.contains(target));
    }
    plan.unrecoverable()
        .forEach(one -> assertThat(lineage.makers).doesNotContainKey(one.culprit()));
  }

  private List<Long> randomLineage(SplittableRandom random) {
    List<Long> files = new ArrayList<>();
    for (long file = 0; file < 5; file++) {
      files.add(file); // without lineage
    }
    for (long id = 100; id < 160; id++) {
      Set<Long> inputs = new LinkedHashSet<>();
      for (int i = 1 + random.nextInt(4); i > 0; i--) {
        inputs.add(files.get(random.nextInt(files.size())));
      }
      boolean narrow = random.nextBoolean();
      List<Long> outputs = new ArrayList<>();
      int count = narrow ? inputs.size() : 1 + random.nextInt(3);
      for (int i = 0; i < count; i++) {
        outputs.add((long) files.size() + i);
      }
      files.addAll(outputs);
      DependencyType type = narrow ? DependencyType.NARROW : DependencyType.WIDE;
      lineage.add(new Dependency(id, List.copyOf(inputs), outputs, type));
    }
    files.stream().filter(file -> random.nextInt(3) == 0 || file < 4).forEach(lineage::available);
    return files;
  }
}
