package dev.sailfish.workflow.recovery;

import dev.sailfish.lineage.edge.recompute.Backoff;
import dev.sailfish.lineage.edge.recompute.RecoveryModel;
import dev.sailfish.lineage.edge.recompute.TemporaryFiles;
import dev.sailfish.lineage.edge.resource.ShareTransfer;
import java.util.concurrent.TimeUnit;

/**
 * How recovery is done.
 *
 * @param name of the manager, among YARN's tags
 * @param model which lost files are recomputed
 * @param temporary which files are temporary
 * @param backoff when a step that failed is tried again
 * @param atOnce how many steps run at once, at most
 * @param queue of YARN for steps that inherit none; empty: that of the record
 * @param waits for how long is waited for what
 */
public record RecoverySettings(
    String name,
    RecoveryModel model,
    TemporaryFiles temporary,
    Backoff backoff,
    int atOnce,
    String queue,
    Waits waits) {

  /** With how much of a waiting application's share its files are recomputed. */
  static final ShareTransfer TRANSFER = ShareTransfer.DEFAULT;

  /**
   * Times, in ns.
   *
   * @param starvedNs a step that somebody waits for and that has got no container for so long may
   *     take those of tasks that wait
   * @param unrecoverableNs a file that cannot be recomputed for so long is given up: workers may
   *     come back with what is missing
   */
  public record Waits(long starvedNs, long unrecoverableNs) {
    /** Who has not asked for so long does not wait any more; longer than a master's election. */
    static final long INTEREST_NS = TimeUnit.SECONDS.toNanos(30);

    /**
     * A plan is made again after so long, whatever is seen: deleted files are not listed as lost.
     */
    static final long PLAN_NS = TimeUnit.SECONDS.toNanos(30);

    /** An application that has made its outputs has so long to end by itself. */
    static final long LEAVE_NS = TimeUnit.SECONDS.toNanos(60);
  }
}
