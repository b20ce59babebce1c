package dev.sailfish.lineage.master.checkpoint;

import dev.sailfish.lineage.edge.checkpoint.CheckpointPolicy;
import dev.sailfish.lineage.edge.checkpoint.SynchronousThreshold;
import dev.sailfish.lineage.master.dependency.Dependency;
import dev.sailfish.lineage.master.dependency.DependencyGraph;
import dev.sailfish.lineage.master.dependency.DependencyGraph.Producer;
import dev.sailfish.lineage.master.dependency.GraphWatcher;
import dev.sailfish.lineage.master.dependency.Input;
import dev.sailfish.lineage.master.dependency.Output;
import dev.sailfish.lineage.master.dependency.OutputState;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells a policy what becomes of dependencies and their outputs, and counts what waits. A new
 * leader's policy is told all dependencies in the order of their ids, bit by bit; of those that
 * have not had their turn yet nothing is told before.
 */
final class PolicyFeed implements GraphWatcher {
  private static final Logger LOG = LoggerFactory.getLogger(PolicyFeed.class);

  private final DependencyGraph graph;
  private final CheckpointPolicy policy;
  private final SynchronousThreshold threshold;
  private final Hearer hearer;
  private final LongSupplier clock;

  /** Of each dependency how long its complete outputs are, in bytes, while that is wanted. */
  private final Map<Long, Long> lengths = new HashMap<>();

  /** Told when all dependencies are, so that what was made of them is known before. */
  private final Deque<Long> deleted = new ArrayDeque<>();

  private long lastTold;
  private boolean isTold;
  private long files;
  private long bytes;

  /** Hears what the policy does not need to know. */
  interface Hearer {
    /** An output is in memory alone. */
    void waits(long fid);

    /** An output is of a record whose outputs are longer than the threshold. */
    void isLarge(long fid);

    /**
     * An output is below.
     *
     * @param length in bytes
     * @return how long its copy took, in ns; 0 if that was not made here
     */
    long copied(long fid, long length);

    /** An output that waited is lost, or was deleted. */
    void gone(long fid, long length, boolean isDeleted);
  }

  /**
   * Nothing is told yet.
   *
   * @param clock the time, in ns; what was there before happened at a time that is not known
   */
  PolicyFeed(
      DependencyGraph graph,
      CheckpointPolicy policy,
      SynchronousThreshold threshold,
      Hearer hearer,
      LongSupplier clock) {
    this.graph = graph;
    this.policy = policy;
    this.threshold = threshold;
    this.hearer = hearer;
    this.clock = clock;
  }

  private long nowNs() {
    return isTold ? clock.getAsLong() : CheckpointPolicy.UNKNOWN_NS;
  }

  /** How many outputs are in memory alone. */
  long files() {
    return files;
  }

  /** How long they are together. */
  long bytes() {
    return bytes;
  }

  /**
   * Tells some dependencies that were there before.
   *
   * @param limit how many inputs and outputs, about
   * @return whether the policy knows all
   */
  boolean tell(int limit) {
    if (isTold) {
      return true;
    }
    int work = 0;
    for (Dependency dependency : graph.after(lastTold)) {
      if (work >= limit) {
        return false;
      }
      tell(dependency);
      work += 1 + dependency.outputs() + dependency.recipe().inputs().size();
    }
    while (!deleted.isEmpty() && work < limit) {
      policy.deleted(deleted.poll());
      work++;
    }
    isTold = deleted.isEmpty();
    return isTold;
  }

  private void tell(Dependency dependency) {
    lastTold = dependency.id();
    long[] inputs =
        dependency.recipe().inputs().stream()
            .filter(input -> !input.isOutside())
            .mapToLong(Input::fid)
            .toArray();
    long[] outputs = new long[dependency.outputs()];
    for (int i = 0; i < outputs.length; i++) {
      outputs[i] = dependency.fid(i);
    }
    try {
      if (dependency.isGrowing()) {
        policy.began(dependency.id(), inputs, nowNs());
        for (long output : outputs) {
          policy.grew(dependency.id(), output);
        }
      } else if (outputs.length > 0) {
        policy.submitted(inputs, outputs, nowNs());
      }
    } catch (IllegalArgumentException e) {
      ignore(dependency, e);
    }
    for (int i = 0; i < outputs.length; i++) {
      tell(dependency.output(i));
    }
  }

  /** A file below may have a new record, while its former one is known for what was made of it. */
  private static void ignore(Dependency dependency, IllegalArgumentException cause) {
    LOG.debug("dependency={} does not count for the order as it should", dependency.id(), cause);
  }

  private void tell(Output output) {
    long fid = output.fid();
    switch (output.state()) {
      case PENDING -> {}
      case STORED -> enter(output, true);
      case BELOW -> policy.checkpointed(fid, 0);
      case DELETED, REVIVING, REVIVED -> delete(fid);
      default -> {
        policy.completed(fid, nowNs());
        policy.lost(fid);
      }
    }
  }

  private void delete(long fid) {
    if (isTold) {
      policy.deleted(fid);
    } else {
      deleted.add(fid);
    }
  }

  /**
   * An output is in memory.
   *
   * @param isNew it was not complete before
   */
  private void enter(Output output, boolean isNew) {
    files++;
    bytes += output.length();
    policy.completed(output.fid(), nowNs());
    hearer.waits(output.fid());
    if (isNew && !threshold.equals(SynchronousThreshold.NEVER)) {
      measure(output);
    }
  }

  private void measure(Output output) {
    long id = graph.producer(output.fid()).dependency();
    long before = lengths.getOrDefault(id, 0L);
    long length = before + output.length();
    lengths.put(id, length);
    if (threshold.isExceededBy(before)) {
      hearer.isLarge(output.fid());
    } else if (threshold.isExceededBy(length)) {
      graph.find(id).allOutputs().stream()
          .filter(one -> one.state() == OutputState.STORED)
          .forEach(one -> hearer.isLarge(one.fid()));
    }
  }

  // ---- what happens

  @Override
  public void added(Dependency dependency) {
    if (isTold) {
      tell(dependency);
    }
  }

  @Override
  public void appended(Dependency dependency) {
    if (dependency.id() > lastTold) {
      return;
    }
    Output output = dependency.output(dependency.outputs() - 1);
    try {
      policy.grew(dependency.id(), output.fid());
    } catch (IllegalArgumentException e) {
      ignore(dependency, e);
    }
    tell(output);
  }

  @Override
  public void sealed(Dependency dependency) {
    policy.sealed(dependency.id(), nowNs());
  }

  @Override
  public void moved(Output before, Output now) {
    Producer producer = graph.producer(now.fid());
    boolean isSame = before.state() == now.state();
    // One that was deleted stays so for the order: what is made again of it is not copied below.
    if (producer.dependency() > lastTold || isSame || before.state().isDeleted()) {
      return;
    }
    if (before.state() == OutputState.STORED) {
      files--;
      bytes -= before.length();
    }
    switch (now.state()) {
      case STORED -> {
        if (before.state() == OutputState.BELOW) {
          policy.lost(now.fid()); // the copy
        }
        enter(now, before.state() == OutputState.PENDING);
      }
      case BELOW -> policy.checkpointed(now.fid(), hearer.copied(now.fid(), now.length()));
      case DELETED -> {
        delete(now.fid());
        gone(before, true);
      }
      case LOST -> {
        if (before.state() == OutputState.PENDING) {
          policy.completed(now.fid(), nowNs());
        }
        policy.lost(now.fid());
        gone(before, false);
      }
      default -> {} // it is lost, and stays so
    }
  }

  private void gone(Output before, boolean isDeleted) {
    if (before.state() == OutputState.STORED) {
      hearer.gone(before.fid(), before.length(), isDeleted);
    }
  }

  @Override
  public void removed(Dependency dependency) {
    lengths.remove(dependency.id());
    if (dependency.id() <= lastTold) {
      for (int i = 0; i < dependency.outputs(); i++) {
        delete(dependency.fid(i));
      }
    }
  }
}
