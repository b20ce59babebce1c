package dev.sailfish.workflow.recovery;

import dev.sailfish.lineage.edge.recompute.RecomputeStep;
import dev.sailfish.lineage.protocol.wire.DependencyOutput;
import dev.sailfish.lineage.protocol.wire.DependencyRecord;
import dev.sailfish.workflow.share.Allotment;
import dev.sailfish.workflow.step.RecomputeTags;
import dev.sailfish.workflow.step.StepRequest;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The steps that were begun: those that are wanted, and those that are left to end. A dependency
 * has one of either, so none is begun before the last one of the same dependency has ended.
 */
final class Runs {
  private final String name;
  private final Steps steps;
  private final Map<Long, Run> wanted = new LinkedHashMap<>(); // by dependency
  private final Map<Long, Long> leavingNs = new HashMap<>(); // since when, by dependency

  /**
   * None.
   *
   * @param name of the manager, among YARN's tags
   */
  Runs(String name, Steps steps) {
    this.name = name;
    this.steps = steps;
  }

  /** Those that are wanted, in the order in which they were begun; changes with them. */
  Collection<Run> wanted() {
    return Collections.unmodifiableCollection(wanted.values());
  }

  /** One that is wanted. */
  Optional<Run> wanted(long dependency) {
    return Optional.ofNullable(wanted.get(dependency));
  }

  /** Whether none of a dependency is there, also none that is left to end. */
  boolean isFree(long dependency) {
    return !wanted.containsKey(dependency) && !leavingNs.containsKey(dependency);
  }

  /**
   * Begins a step, or goes on with it.
   *
   * @param application that an earlier manager has begun; empty: there is none
   */
  void start(
      RecomputeStep step,
      DependencyRecord record,
      Allotment allotment,
      Optional<String> application,
      long nowNs) {
    List<DependencyOutput> outputs =
        record.getOutputsList().stream()
            .filter(output -> step.outputs().contains(output.getFid()))
            .toList();
    StepRequest request =
        new StepRequest(
            record,
            outputs,
            allotment.queue(),
            allotment.priority(),
            RecomputeTags.of(name, step.id()),
            allotment.tasks());
    if (application.isPresent()) {
      steps.adopt(request, application.get());
    } else {
      steps.start(request);
    }
    wanted.put(step.id(), new Run(step, allotment, application.isPresent(), nowNs));
  }

  /** Looks at all; those that were left and have ended, or do not end, are forgotten. */
  void look(long nowNs) {
    for (Run run : wanted.values()) {
      steps.look(run.step().id()).ifPresent(run::see);
    }
    for (Map.Entry<Long, Long> leaving : List.copyOf(leavingNs.entrySet())) {
      long dependency = leaving.getKey();
      boolean ended = steps.look(dependency).map(look -> look.state().isEnd()).orElse(true);
      if (ended) {
        steps.forget(dependency);
        leavingNs.remove(dependency);
      } else if (nowNs - leaving.getValue() >= RecoverySettings.Waits.LEAVE_NS) {
        steps.end(dependency);
      }
    }
  }

  /** Those that are wanted and have ended. */
  List<Run> ended() {
    List<Run> ended = new ArrayList<>(wanted.values());
    ended.removeIf(run -> !run.look().state().isEnd());
    return ended;
  }

  /** One that has made its outputs, or has ended, is let end by itself. */
  void leave(long dependency, long nowNs) {
    if (wanted.remove(dependency) != null) {
      leavingNs.put(dependency, nowNs);
    }
  }

  /** One that nobody wants any more is ended. */
  void end(long dependency, long nowNs) {
    steps.end(dependency);
    leave(dependency, nowNs);
  }

  /** Forgets all, and leaves their applications as they are. */
  void forgetAll() {
    wanted.keySet().forEach(steps::forget);
    leavingNs.keySet().forEach(steps::forget);
    wanted.clear();
    leavingNs.clear();
  }
}
