package dev.sailfish.lineage.master.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.lineage.edge.checkpoint.EdgePolicy;
import dev.sailfish.lineage.edge.checkpoint.EdgeSettings;
import dev.sailfish.lineage.edge.checkpoint.SynchronousThreshold;
import dev.sailfish.lineage.master.dependency.Breadth;
import dev.sailfish.lineage.master.dependency.Dependency;
import dev.sailfish.lineage.master.dependency.DependencyGraph;
import dev.sailfish.lineage.master.dependency.Input;
import dev.sailfish.lineage.master.dependency.Output;
import dev.sailfish.lineage.master.dependency.OutputState;
import dev.sailfish.lineage.master.dependency.Part;
import dev.sailfish.lineage.master.dependency.Program;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PolicyFeedTest {
  private static final int DEPENDENCIES = 100_000;
  private static final int OUTPUTS = 10;

  private final DependencyGraph graph = new DependencyGraph();
  private final EdgePolicy policy = new EdgePolicy(EdgeSettings.DEFAULT);
  private final List<Long> large = new ArrayList<>();
  private final PolicyFeed.Hearer hearer =
      new PolicyFeed.Hearer() {
        @Override
        public void waits(long fid) {}

        @Override
        public void isLarge(long fid) {
          large.add(fid);
        }

        @Override
        public long copied(long fid, long length) {
          return 0;
        }

        @Override
        public void gone(long fid, long length, boolean isDeleted) {}
      };

  private PolicyFeed feed(SynchronousThreshold threshold) {
    PolicyFeed feed = new PolicyFeed(graph, policy, threshold, hearer, () -> 0);
    graph.watch(feed);
    return feed;
  }

  private void make(long input, OutputState state, long... outputs) {
    List<Output> all = new ArrayList<>();
    for (long output : outputs) {
      all.add(output(output, state));
    }
    graph.add(dependency(input, all));
  }

  private static Output output(long fid, OutputState state) {
    return new Output(fid, Part.of(0), state, 100, OptionalInt.of(1));
  }

  private Dependency dependency(long input, List<Output> outputs) {
    Dependency.Recipe recipe =
        new Dependency.Recipe(
            "alice",
            "",
            Breadth.WIDE,
            List.of(Input.of(input)),
            List.of(new Program("job.jar", "ab".repeat(32))),
            new byte[0]);
    return new Dependency(graph.nextId(), recipe, outputs, false);
  }

  @Test
  void aNewLeaderKnowsWhatTheOneBeforeKnew() {
    make(1, OutputState.STORED, 2);
    make(2, OutputState.DELETED, 3);
    make(3, OutputState.STORED, 4);
    make(4, OutputState.LOST, 5);
    PolicyFeed feed = feed(SynchronousThreshold.NEVER);
    int steps = 1;
    while (!feed.tell(1)) {
      steps++;
      if (steps == 3) {
        graph.move(4, OutputState.DELETED); // while not all is told
      }
    }
    assertThat(steps).isGreaterThan(4);
    assertThat(feed.files()).isOne();
    assertThat(policy.isWaiting(2)).isTrue();
    assertThat(policy.next(0)).as("the end of what waits").hasValue(2);
    assertThat(policy.files()).as("with 1, and what stands between 2 and 5").isEqualTo(5);
    graph.move(5, OutputState.RECOMPUTING);
    graph.move(5, OutputState.STORED);
    assertThat(feed.bytes()).isEqualTo(200);
    graph.move(5, OutputState.BELOW);
    graph.move(2, OutputState.BELOW);
    graph.collect(1_000, collected -> {});
    assertThat(feed.files()).isZero();
    assertThat(policy.files()).isZero();
    assertThat(policy.dependencies()).isZero();
  }

  @Test
  void aCopyThatIsThereNoMoreIsMadeAgain() {
    PolicyFeed feed = feed(SynchronousThreshold.NEVER);
    assertThat(feed.tell(10)).isTrue();
    make(1, OutputState.STORED, 2, 3);
    graph.move(2, OutputState.BELOW);
    assertThat(policy.isWaiting(2)).isFalse();
    graph.move(2, OutputState.STORED);
    assertThat(policy.isWaiting(2)).isTrue();
  }

  @Test
  void outputsOfALargeRecordAreNamed() {
    PolicyFeed feed = feed(new SynchronousThreshold(250));
    assertThat(feed.tell(10)).isTrue();
    make(1, OutputState.PENDING, 2, 3, 4, 5);
    for (long fid = 2; fid <= 5; fid++) {
      graph.change(output(fid, OutputState.STORED));
    }
    assertThat(large).containsExactly(2L, 3L, 4L, 5L);
  }

  @Test
  void theInputsOfARecordThatGrowsAreLeavesUntilItIsSealed() {
    make(9, OutputState.STORED, 1);
    graph.add(dependency(1, List.of()).growing(5));
    graph.append(2, output(2, OutputState.STORED), 6);
    PolicyFeed feed = feed(SynchronousThreshold.NEVER);
    assertThat(feed.tell(100)).isTrue();
    graph.append(2, output(3, OutputState.PENDING), 7);
    assertThat(feed.files()).isEqualTo(2);
    assertThat(policy.next(0)).as("2 is in the same edge, and came later").hasValue(1);
    policy.started(1, 0);
    policy.failed(1, 0);
    policy.started(2, 0);
    policy.checkpointed(2, 0);
    graph.move(2, OutputState.BELOW);
    graph.change(output(3, OutputState.STORED));
    graph.seal(2);
    policy.lost(1);
    policy.completed(1, 0);
    assertThat(policy.next(0)).as("1 is no leaf any more").hasValue(3);
    assertThat(policy.dependencies()).isEqualTo(2);
  }

  /** How long the state's lock is held when a master begins to lead. */
  @Test
  void aMillionFilesAreToldInSteps() {
    for (long i = 0; i < DEPENDENCIES; i++) {
      long[] outputs = new long[OUTPUTS];
      for (int k = 0; k < OUTPUTS; k++) {
        outputs[k] = (i + 1) * OUTPUTS + k;
      }
      make(i * OUTPUTS, OutputState.STORED, outputs);
    }
    PolicyFeed feed = feed(SynchronousThreshold.NEVER);
    long longestNs = 0;
    long allNs = 0;
    int steps = 0;
    boolean isTold = false;
    while (!isTold) {
      long startNs = System.nanoTime();
      isTold = feed.tell(Checkpoints.TOLD_AT_ONCE);
      long tookNs = System.nanoTime() - startNs;
      longestNs = Math.max(longestNs, tookNs);
      allNs += tookNs;
      steps++;
    }
    System.out.printf(
        "%d dependencies with %d files are told in %d steps, %d ms, the longest %d ms%n",
        DEPENDENCIES,
        DEPENDENCIES * OUTPUTS,
        steps,
        TimeUnit.NANOSECONDS.toMillis(allNs),
        TimeUnit.NANOSECONDS.toMillis(longestNs));
    assertThat(steps).isBetween(50, 70);
    assertThat(feed.files()).isEqualTo(DEPENDENCIES * OUTPUTS);
    assertThat(policy.next(0)).isPresent();
  }
}
