package dev.sailfish.lineage.edge.checkpoint;

import java.util.OptionalLong;
import java.util.function.LongPredicate;

/**
 * Says which file is written to the under store next. Who writes tells what happens to files, in
 * the order in which it happens, and asks {@link #next} when it can write one more:
 *
 * <pre>
 *   submitted ──▶ completed ──▶ next ──▶ started ──▶ checkpointed
 *                                 ▲          │
 *                                 └──────────┴─ failed
 * </pre>
 *
 * <p>Several files may be written at the same time. Files are named by their FIDs. What is told of
 * a file that the policy does not know, or that was deleted, changes nothing: a writer may end
 * after its file was deleted. A new policy is told all that there is before it is asked, in any
 * order.
 *
 * <p>Times are the caller's, in ns as of {@link System#nanoTime}: of a beginning that means
 * nothing, and never less than those of calls before. A policy has no clock of its own.
 *
 * <p>For one thread. A policy never waits, and keeps no array that it is given.
 */
public interface CheckpointPolicy {
  /** In place of a time: it is not known when it happened, as it was before the policy was made. */
  long UNKNOWN_NS = Long.MIN_VALUE;

  /**
   * A dependency was recorded: a job is about to make these outputs of these inputs. Comes once for
   * each dependency. A job that is given up is told by deleting the outputs that it did not
   * complete.
   *
   * @param inputs files that the job reads; those that are never told of otherwise are safe in the
   *     under store
   * @param outputs at least one
   * @param nowNs the time, or {@link #UNKNOWN_NS}
   * @throws IllegalArgumentException an output has a dependency already, or is an input as well;
   *     nothing was changed. Longer cycles are for the caller to refuse.
   */
  void submitted(long[] inputs, long[] outputs, long nowNs);

  /**
   * A dependency was recorded whose outputs are named one by one, with {@link #grew}, until it is
   * {@link #sealed}. Until then its job runs.
   *
   * @param dependency names it; no other one that is not sealed has that name
   * @param inputs as with {@link #submitted}
   * @param nowNs the time, or {@link #UNKNOWN_NS}
   */
  void began(long dependency, long[] inputs, long nowNs);

  /**
   * A dependency that is not sealed has another output. One that is not known changes nothing.
   *
   * @throws IllegalArgumentException as {@link #submitted} does; nothing was changed
   */
  void grew(long dependency, long output);

  /**
   * A dependency has all its outputs. One that is not known changes nothing.
   *
   * @param nowNs the time, or {@link #UNKNOWN_NS}
   */
  void sealed(long dependency, long nowNs);

  /**
   * A file was completed in memory, for the first time or again after it was lost. Changes nothing
   * if the policy knows it as complete.
   *
   * @param nowNs the time, or {@link #UNKNOWN_NS}
   */
  void completed(long fid, long nowNs);

  /** A complete file was opened to be read. */
  void read(long fid);

  /**
   * The file that is to be written next; empty: none, or none yet. Asked again at the same time
   * without anything being told, it answers the same.
   *
   * @param nowNs the time; {@link #UNKNOWN_NS}: nothing is waited for
   */
  OptionalLong next(long nowNs);

  /**
   * When to ask again, if {@link #next} was empty although files wait: the policy expects a better
   * one until then, in ns as the times that it is given. What is told meanwhile may change that, so
   * to ask earlier does no harm. Empty: there is nothing to wait for.
   */
  OptionalLong askAgainNs();

  /** Whether a file waits for being written. */
  boolean isWaiting(long fid);

  /**
   * Shows files that wait, about in the order in which they will be written if nothing happens; not
   * those whose turn depends on what becomes of others that wait.
   *
   * @param visitor is told each file once, and says whether it wants another one; changes nothing
   *     here
   */
  void showWaiting(LongPredicate visitor);

  /**
   * A file is being written from now on, one of {@link #next} or any other that waits.
   *
   * @param nowNs the time
   * @throws IllegalStateException it does not wait for being written
   */
  void started(long fid, long nowNs);

  /**
   * A file that was to be written is not written yet: nothing was tried. It waits again, before
   * others that wait.
   */
  void returned(long fid);

  /**
   * A file is in the under store, after a write or because it was written there synchronously.
   *
   * @param spentNs how long the write took, in ns; 0 if none was started
   */
  void checkpointed(long fid, long spentNs);

  /**
   * A write failed. The file waits again, after others that wait. When to try again is for the
   * writer to decide: if no other file waits, {@link #next} names this one at once.
   *
   * @param spentNs how long the write took, in ns
   */
  void failed(long fid, long spentNs);

  /** Nothing has the file's content any more. It waits again once it has been recomputed. */
  void lost(long fid);

  /** A file was deleted. If it was not written before, it never will be. */
  void deleted(long fid);
}
