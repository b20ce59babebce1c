package dev.sailfish.workflow.recovery;

import dev.sailfish.lineage.edge.recompute.RecomputePlan;
import dev.sailfish.lineage.edge.recompute.RecomputePlanner;
import dev.sailfish.lineage.protocol.wire.LostFile;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which lost files are wanted, and the plan that brings them back: made again when that changes.
 */
final class Planning {
  /** What a plan depends on, of a lost file. */
  private record Want(boolean wanted, boolean givenUp) {}

  private final RecoverySettings settings;
  private final LineageView view;
  private final RecomputePlanner planner;
  private Map<Long, LostFile> lost = Map.of();
  private Map<Long, Want> wants = Map.of();
  private boolean isStale = true;
  private long plannedNs;

  Planning(RecoverySettings settings, LineageView view) {
    this.settings = settings;
    this.view = view;
    planner = new RecomputePlanner(view);
  }

  /** What is lost now, and who waits for it. */
  void see(List<LostFile> now, Interest interest) {
    Map<Long, LostFile> files = new LinkedHashMap<>();
    Map<Long, Want> next = new HashMap<>();
    for (LostFile file : now) {
      long fid = file.getOutput().getFid();
      boolean temporary = settings.temporary().isTemporary(file.getPath(), false);
      boolean wanted = settings.model().wants(temporary, interest.isRequested(fid));
      files.put(fid, file);
      next.put(fid, new Want(wanted, !file.getGivenUp().isEmpty()));
    }
    isStale |= !next.equals(wants);
    lost = files;
    wants = next;
  }

  /** The lost files, by FID. */
  Map<Long, LostFile> lost() {
    return lost;
  }

  /** Something else has changed: the next plan has to be made anew. */
  void outdated() {
    isStale = true;
  }

  /** Whether there has to be a new plan. */
  boolean isDue(long nowNs) {
    return isStale || !lost.isEmpty() && nowNs - plannedNs >= RecoverySettings.Waits.PLAN_NS;
  }

  /**
   * A plan for what is wanted.
   *
   * @param triedAgain FIDs of files that were given up, and are planned as if they were not
   */
  RecomputePlan plan(long nowNs, Set<Long> triedAgain) {
    view.look(lost, triedAgain);
    List<Long> targets = new ArrayList<>();
    wants.forEach(
        (fid, want) -> {
          if (want.wanted() && !want.givenUp() || triedAgain.contains(fid)) {
            targets.add(fid);
          }
        });
    targets.sort(Long::compareUnsigned);
    RecomputePlan plan = planner.plan(targets);
    isStale = false;
    plannedNs = nowNs;
    return plan;
  }
}
