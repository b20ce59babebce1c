package dev.sailfish.metaserver.state;

import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.metaserver.MetaserverKey;
import dev.sailfish.metaserver.MetaserverMetric;
import dev.sailfish.metaserver.wire.EndJob;
import dev.sailfish.metaserver.wire.JournalEntry;
import dev.sailfish.metaserver.wire.JournalReply;
import dev.sailfish.metaserver.wire.ServerUse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes the change of a journal's entry: the one place where entries become calls of the core. */
public final class EntryApplier {
  /** Version of the entries that are written, and the only one that is understood. */
  public static final int VERSION = 3;

  private static final Logger LOG = LoggerFactory.getLogger(EntryApplier.class);

  private EntryApplier() {}

  /**
   * Applies an entry. What the core refuses, or fails at, it does everywhere alike: so that is a
   * reply too.
   *
   * @throws IllegalArgumentException when another version wrote the entry
   */
  public static JournalReply apply(MetaserverState state, JournalEntry entry, long timeMs) {
    if (entry.getVersion() < VERSION) {
      throw new IllegalArgumentException(earlier("the journal", entry.getVersion(), VERSION));
    }
    if (entry.getVersion() > VERSION
        || entry.getChangeCase() == JournalEntry.ChangeCase.CHANGE_NOT_SET) {
      throw new IllegalArgumentException(later("the journal", entry.getVersion(), VERSION));
    }
    long now = state.passTo(timeMs);
    for (ServerUse use : entry.getUsesList()) {
      state.desk().uses(use.getServerId(), use.getUsedBytes());
    }
    try {
      return change(state, entry, now);
    } catch (RequestRefusedException e) {
      return refused(e.status(), e.getMessage());
    } catch (RuntimeException e) {
      LOG.error("a change failed: {}", entry.getChangeCase(), e);
      return refused(
          Status.INTERNAL, "metaserver failed at " + entry.getChangeCase() + ": " + e.getMessage());
    }
  }

  /** What is said of a journal or snapshot whose jobs cannot go on. */
  static String earlier(String what, int version, int understood) {
    return ("%s was written by an earlier release: version=%s understood=%s; jobs do not outlive"
            + " this change of the release: empty the directory that %s names, when no job needs it"
            + " any more")
        .formatted(what, version, understood, MetaserverKey.JOURNAL.directory().name());
  }

  /** What is said of a journal or snapshot that only a later release understands. */
  static String later(String what, int version, int understood) {
    return "%s was written by a later release: version=%s understood=%s; start that release"
        .formatted(what, version, understood);
  }

  /** The entry that ends a job. */
  public static JournalEntry.Builder end(String job, EndJob.Cause cause, String reason) {
    return JournalEntry.newBuilder()
        .setEnd(EndJob.newBuilder().setJob(job).setCause(cause).setReason(reason));
  }

  /** The reply that says no. */
  static JournalReply refused(Status status, String message) {
    return JournalReply.newBuilder()
        .setStatus(status.code())
        .setMessage(String.valueOf(message))
        .build();
  }

  private static JournalReply change(MetaserverState state, JournalEntry entry, long now)
      throws RequestRefusedException {
    JournalReply.Builder reply = JournalReply.newBuilder();
    switch (entry.getChangeCase()) {
      case LEAD -> state.ledBy(entry.getLead());
      case CREATE -> reply.setCreate(state.createIfiles(entry.getCreate(), now));
      case BIND ->
          reply.setBind(state.bind(entry.getBind().getRequest(), entry.getBind().getRack(), now));
      case COMMIT -> state.commitManifest(entry.getCommit(), now);
      case ABORT -> state.abortAttempt(entry.getAbort(), now);
      case CLOSE -> state.closeChunks(entry.getClose());
      case END -> end(state, entry.getEnd(), now);
      case REGISTER ->
          reply.setRegister(
              state
                  .desk()
                  .register(
                      entry.getRegister().getRequest(),
                      entry.getRegister().getRack(),
                      entry.getRegister().getDrainConfirmed(),
                      now));
      case REPORTS -> state.desk().report(entry.getReports(), now);
      case UNREADABLE -> state.reportUnreadable(entry.getUnreadable(), now);
      case ADMIT -> state.admit(entry.getAdmit(), now);
      case FORGET_KEYS -> state.forgetKeys(entry.getForgetKeys().getJobsList());
      case DRAIN -> reply.setDrain(state.drains().drain(entry.getDrain().getServer()));
      case HAND_OVER -> state.handOver(entry.getHandOver());
      case DIED -> state.desk().serverDied(entry.getDied());
      default -> throw new IllegalStateException("change=" + entry.getChangeCase());
    }
    return reply.build();
  }

  private static void end(MetaserverState state, EndJob end, long now)
      throws RequestRefusedException {
    String job = end.getJob();
    String reason = end.getReason();
    switch (end.getCause()) {
      case LEASE -> state.deleteJob(job, MetaserverMetric.LEASES_EXPIRED, reason, now);
      case APPLICATION -> state.deleteJob(job, MetaserverMetric.APPLICATIONS_ENDED, reason, now);
      case KEPT_TIME -> state.dropKept(job, MetaserverMetric.KEPT_EXPIRED, reason, now);
      case KEPT_ROOM -> state.dropKept(job, MetaserverMetric.KEPT_FOR_ROOM, reason, now);
      case KEPT_DROPPED -> {
        if (!state.dropKept(job, MetaserverMetric.KEPT_DROPPED, reason, now)) {
          throw notKept(state, job);
        }
      }
      default -> state.deleteJob(job, MetaserverMetric.JOBS_DELETED, reason, now);
    }
  }

  private static RequestRefusedException notKept(MetaserverState state, String job) {
    return state.jobs().find(job) == null
        ? new RequestRefusedException(Status.JOB_UNKNOWN, "nothing is kept of this job: job=" + job)
        : new RequestRefusedException(
            Status.CONFLICT, "job lives, and only what is kept of ended jobs goes: job=" + job);
  }
}
