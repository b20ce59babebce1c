package dev.sailfish.workflow.recovery;

import dev.sailfish.lineage.edge.recompute.RecomputePlan;
import dev.sailfish.lineage.edge.recompute.RecomputeStep;
import dev.sailfish.lineage.edge.recompute.StepProgress;
import dev.sailfish.lineage.edge.recompute.StepState;
import dev.sailfish.lineage.edge.recompute.Unrecoverable;
import dev.sailfish.lineage.protocol.wire.LostFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Tells the store which lost files do not come back, and why: those whose last attempt has failed,
 * and those that are made of something that is lost for ever. Of the latter it is taken back by
 * itself when that comes back; not by a manager that was started since.
 */
final class GivingUp {
  private final RecordStore store;
  private final long patienceNs;
  private final Map<Long, Long> unrecoverableNs = new HashMap<>(); // since when, by FID
  private final Set<Long> forInputs = new HashSet<>();

  GivingUp(RecordStore store, long patienceNs) {
    this.store = store;
    this.patienceNs = patienceNs;
  }

  /** FIDs of files that were given up for what they are made of. */
  Set<Long> forInputs() {
    return Set.copyOf(forInputs);
  }

  /**
   * What a new plan says.
   *
   * @param lost by FID
   */
  void plan(RecomputePlan plan, Map<Long, LostFile> lost, long nowNs) throws IOException {
    Set<Long> now = new HashSet<>();
    for (Unrecoverable one : plan.unrecoverable()) {
      if (lost.containsKey(one.fid())) {
        now.add(one.fid());
        unrecoverableNs.putIfAbsent(one.fid(), nowNs);
      }
    }
    unrecoverableNs.keySet().retainAll(now);
    for (long fid : forInputs()) {
      if (isGivenUp(lost, fid) && !now.contains(fid)) {
        store.giveUp(fid, "");
        forInputs.remove(fid);
      }
    }
  }

  private static boolean isGivenUp(Map<Long, LostFile> lost, long fid) {
    LostFile file = lost.get(fid);
    return file != null && !file.getGivenUp().isEmpty();
  }

  /** Gives up what has been beyond recovery for long enough. */
  void unrecoverable(List<Unrecoverable> all, Map<Long, LostFile> lost, long nowNs)
      throws IOException {
    forInputs.removeIf(fid -> !isGivenUp(lost, fid)); // somebody has taken it back
    for (Unrecoverable one : all) {
      long sinceNs = unrecoverableNs.getOrDefault(one.fid(), nowNs);
      boolean isKnown = !lost.containsKey(one.fid()) || isGivenUp(lost, one.fid());
      if (!isKnown && nowNs - sinceNs >= patienceNs) {
        store.giveUp(one.fid(), one + why(one, lost));
        forInputs.add(one.fid());
      }
    }
  }

  private static String why(Unrecoverable one, Map<Long, LostFile> lost) {
    return isGivenUp(lost, one.culprit())
        ? ": that one was given up: " + lost.get(one.culprit()).getGivenUp()
        : "";
  }

  /**
   * Gives up the outputs of steps whose last attempt has failed; where one was to make deleted
   * files again, which nobody waits for, what is made of them.
   */
  void failed(Collection<StepProgress> steps, Map<Long, LostFile> lost) throws IOException {
    Map<Long, String> without = new HashMap<>(); // why there are no inputs, by dependency
    List<StepProgress> ordered = new ArrayList<>(steps);
    ordered.sort(Comparator.comparingInt(one -> one.step().level()));
    for (StepProgress step : ordered) {
      RecomputeStep run = step.step();
      if (step.state() == StepState.GIVEN_UP) {
        String cause = cause(step);
        giveUp(run, lost, cause);
        if (!lost.keySet().containsAll(run.outputs())) {
          without.put(run.id(), "it is made of deleted files: " + cause);
        }
      } else {
        Optional<Long> missing = run.after().stream().filter(without::containsKey).findFirst();
        if (missing.isPresent()) {
          without.put(run.id(), without.get(missing.get()));
          giveUp(run, lost, without.get(run.id()));
        }
      }
    }
  }

  private void giveUp(RecomputeStep step, Map<Long, LostFile> lost, String cause)
      throws IOException {
    for (long output : step.outputs()) {
      if (lost.containsKey(output) && !isGivenUp(lost, output)) {
        store.giveUp(output, cause);
      }
    }
  }

  private static String cause(StepProgress step) {
    return "record %d was run again, and has not made it (failed attempts: %d): %s"
        .formatted(step.step().id(), step.failures(), step.lastFailure().orElse("no reason known"));
  }
}
