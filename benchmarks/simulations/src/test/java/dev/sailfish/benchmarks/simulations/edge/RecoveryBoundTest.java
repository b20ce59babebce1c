package dev.sailfish.benchmarks.simulations.edge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.benchmarks.simulations.edge.Workflow.Job;
import dev.sailfish.lineage.edge.checkpoint.EdgePolicy;
import dev.sailfish.lineage.edge.checkpoint.EdgeSettings;
import dev.sailfish.testkit.Seeded;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** Theorem 1 and Corollary 2 of the paper, on the policy as it is; see docs/LINEAGE.md. */
@Seeded
class RecoveryBoundTest {
  private static final double ROUNDING = 1e-6;
  private static final int FAILURES = 40;

  /** Some of the last files, each of which nobody has read yet, become inputs of a new job. */
  private static Workflow readOnce(Random random, int reads) {
    List<Job> jobs = new ArrayList<>();
    List<Integer> unread = new ArrayList<>();
    for (int file = 0; file < 80; file++) {
      List<Integer> inputs = new ArrayList<>();
      for (int i = random.nextInt(4); i > 0 && !unread.isEmpty(); i--) {
        inputs.add(unread.remove(random.nextInt(unread.size())));
      }
      jobs.add(job(random, inputs, reads > 0 && random.nextInt(4) == 0 ? reads : 0));
      unread.add(file);
    }
    return new Workflow(jobs);
  }

  private static Job job(Random random, List<Integer> inputs, int reads) {
    double seconds = 0.1 + 20 * random.nextDouble();
    double checkpointSeconds = 0.1 + 10 * random.nextDouble();
    double notBefore = random.nextInt(400);
    return new Job(seconds, checkpointSeconds, inputs, notBefore, reads, Double.POSITIVE_INFINITY);
  }

  /** M: the longest time to write an edge, or to make one of what is checkpointed before it. */
  private static double longestEdgeSeconds(Workflow workflow, Timeline timeline) {
    double longest = 0;
    List<Integer> open = new ArrayList<>();
    for (int file : timeline.written()) {
      double at = timeline.writeStarted(file);
      if (!open.remove((Integer) file)) {
        open.addAll(edge(workflow, timeline, at));
        double[] made = timeline.recoverySeconds(at, 0);
        double written = open.stream().mapToDouble(one -> write(workflow, one)).sum();
        double generated = open.stream().mapToDouble(one -> made[one]).max().orElse(0);
        longest = Math.max(longest, Math.max(written, generated));
        open.remove((Integer) file);
      }
      longest = Math.max(longest, write(workflow, file));
    }
    return longest;
  }

  private static double write(Workflow workflow, int file) {
    return workflow.jobs().get(file).checkpointSeconds();
  }

  private static List<Integer> edge(Workflow workflow, Timeline timeline, double at) {
    return IntStream.range(0, workflow.jobs().size())
        .filter(file -> timeline.wasLeaf(file, at) && timeline.checkpointed(file) > at)
        .boxed()
        .toList();
  }

  /** The longest recovery of a file that was complete, by failures at random and at bad times. */
  private static double longestRecovery(Workflow workflow, Timeline timeline, Random random) {
    List<Double> failures = new ArrayList<>();
    for (int i = 0; i < FAILURES; i++) {
      failures.add(random.nextDouble() * timeline.end());
    }
    for (int file = 0; file < workflow.jobs().size(); file++) {
      failures.add(timeline.completed(file));
      failures.add(timeline.checkpointed(file) - ROUNDING);
    }
    double longest = 0;
    for (double at : failures) {
      double[] seconds = timeline.recoverySeconds(at, 1);
      for (int file = 0; file < seconds.length; file++) {
        longest = Math.max(longest, timeline.completed(file) <= at ? seconds[file] : 0);
      }
    }
    return longest;
  }

  @RepeatedTest(200)
  void anyFileIsBackWithin3MWhereEachFileIsReadByOneJob(Random random) {
    Workflow workflow = readOnce(random, 0);
    Timeline timeline = WorkflowRun.of(workflow, new EdgePolicy(EdgeSettings.LEAVES_ALONE));
    assertThat(longestRecovery(workflow, timeline, random))
        .isLessThanOrEqualTo(3 * longestEdgeSeconds(workflow, timeline) + ROUNDING);
  }

  @RepeatedTest(200)
  void anyFileIsBackWithin3MByCWhenHotFilesTakeTurns(Random random) {
    double edgeShare = 0.25 + random.nextInt(3) * 0.25;
    Workflow workflow = readOnce(random, 3);
    EdgeSettings settings = new EdgeSettings(edgeShare, 2, false);
    Timeline timeline = WorkflowRun.of(workflow, new EdgePolicy(settings));
    assertThat(longestRecovery(workflow, timeline, random))
        .isLessThanOrEqualTo(3 * longestEdgeSeconds(workflow, timeline) / edgeShare + ROUNDING);
  }

  /** M with patience, where edges change: the longest write, or time to make what is written. */
  private static double longestStepSeconds(Workflow workflow, Timeline timeline) {
    double longest = 0;
    for (int file : timeline.written()) {
      double made = timeline.recoverySeconds(timeline.writeStarted(file), 0)[file];
      longest = Math.max(longest, Math.max(write(workflow, file), made));
    }
    return longest;
  }

  @RepeatedTest(200)
  void anyFileIsBackWithin3MWithPatience(Random random) {
    Workflow workflow = readOnce(random, 0);
    Timeline timeline = WorkflowRun.of(workflow, new EdgePolicy(EdgeSettings.PATIENT_LEAVES));
    assertThat(longestRecovery(workflow, timeline, random))
        .isLessThanOrEqualTo(3 * longestStepSeconds(workflow, timeline) + ROUNDING);
  }

  @RepeatedTest(200)
  void anyFileIsBackWithin3MByCWithPatienceAndHotFiles(Random random) {
    double edgeShare = 0.25 + random.nextInt(3) * 0.25;
    Workflow workflow = readOnce(random, 3);
    EdgeSettings settings = new EdgeSettings(edgeShare, 2, true);
    Timeline timeline = WorkflowRun.of(workflow, new EdgePolicy(settings));
    assertThat(longestRecovery(workflow, timeline, random))
        .isLessThanOrEqualTo(3 * longestStepSeconds(workflow, timeline) / edgeShare + ROUNDING);
  }

  /** Chains whose jobs take as long as those before, about, or any time. */
  private static Workflow chains(Random random, int chains) {
    List<Job> jobs = new ArrayList<>();
    double spread = random.nextDouble();
    for (int file = 0; file < 60 * chains; file++) {
      List<Integer> inputs = file < chains ? List.of() : List.of(file - chains);
      double seconds = 10 * (1 + spread * (2 * random.nextDouble() - 1));
      jobs.add(new Job(seconds, 1 + 15 * random.nextDouble(), inputs));
    }
    return new Workflow(jobs);
  }

  /**
   * What a chain runs between two of its checkpoints: the longest job and the writes meanwhile, as
   * without patience; with several chains the waits of two edges, each no longer than the longest
   * job, are there as well.
   */
  @RepeatedTest(1000)
  void waitsMakeNoMoreToBeRunBetweenTwoCheckpoints(Random random) {
    int chains = 1 + random.nextInt(3);
    Workflow workflow = chains(random, chains);
    Timeline timeline = WorkflowRun.of(workflow, new EdgePolicy(EdgeSettings.PATIENT_LEAVES));
    double longestJob = workflow.jobs().stream().mapToDouble(Job::seconds).max().orElseThrow();
    int[] last = IntStream.range(0, chains).map(chain -> chain - chains).toArray();
    double[] writes = new double[chains];
    for (int file : timeline.written()) {
      int chain = file % chains;
      double run = 0;
      for (int one = file; one > last[chain]; one -= chains) {
        run += workflow.jobs().get(one).seconds();
      }
      assertThat(run)
          .as("file %d of %d chains", file, chains)
          .isLessThanOrEqualTo((chains == 1 ? 1 : 3) * longestJob + writes[chain] + ROUNDING);
      if (file > last[chain]) {
        last[chain] = file;
        writes[chain] = 0;
      }
      for (int other = 0; other < chains; other++) {
        writes[other] += write(workflow, file);
      }
    }
  }

  /**
   * A chain of files, each of which two jobs read: one whose file is done a second later, and,
   * twenty seconds later, the next of the chain. None of the chain is a leaf when an edge is taken,
   * and a second chain has the writer never idle. So none of the first chain is ever written.
   */
  private static Workflow readTwice(int length) {
    double forEver = Double.POSITIVE_INFINITY;
    List<Job> jobs = new ArrayList<>();
    int last = -1;
    for (int i = 0; i < length; i++) {
      List<Integer> inputs = last < 0 ? List.of() : List.of(last);
      jobs.add(new Job(1, 10, inputs, 20 * i + 6, 0, forEver));
      last = jobs.size() - 1;
      jobs.add(new Job(1, 0.001, List.of(last)));
    }
    jobs.add(new Job(4, 10, List.of()));
    for (int i = 0; i < 5 * length; i++) {
      jobs.add(new Job(4, 10, List.of(jobs.size() - 1)));
    }
    return new Workflow(jobs);
  }

  @Test
  void filesThatAreReadAgainAfterTheyWereLeavesBreakTheBound() {
    int length = 100;
    Workflow workflow = readTwice(length);
    Timeline timeline = WorkflowRun.of(workflow, new EdgePolicy(EdgeSettings.LEAVES_ALONE));
    int last = 2 * length - 2;
    double[] seconds = timeline.recoverySeconds(timeline.completed(last), 1);
    assertThat(seconds[last]).as("the whole chain").isEqualTo(length);
    double longestWriteOfAnEdge = 10.001;
    double longestTimeBetweenEdges = 12;
    assertThat(seconds[last])
        .isGreaterThan(3 * Math.max(longestWriteOfAnEdge, longestTimeBetweenEdges));
  }

  /** With M of one job and one write alone, a chain is enough: the job that ran when it began. */
  @Test
  void theTimeToMakeAnEdgeIsThatSinceTheEdgeBefore() {
    List<Job> jobs = new ArrayList<>();
    jobs.add(new Job(10, 10, List.of()));
    jobs.add(new Job(1, 10, List.of(0)));
    jobs.add(new Job(9.9, 10, List.of(1)));
    for (int i = 0; i < 19; i++) {
      jobs.add(new Job(1, 10, List.of(jobs.size() - 1)));
    }
    Workflow workflow = new Workflow(jobs);
    Timeline timeline = WorkflowRun.of(workflow, new EdgePolicy(EdgeSettings.LEAVES_ALONE));
    double longest = longestRecovery(workflow, timeline, new Random(1));
    double longestJobOrWrite = 10;
    assertThat(longest).isGreaterThan(3 * longestJobOrWrite);
    assertThat(longest).isLessThanOrEqualTo(3 * longestEdgeSeconds(workflow, timeline));
  }
}
