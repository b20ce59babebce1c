package dev.sailfish.metaserver.state;

import com.google.protobuf.ByteString;
import dev.sailfish.ground.journal.FreezableMap;
import dev.sailfish.ground.server.Principal;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.metaserver.wire.Admit;
import dev.sailfish.metaserver.wire.SnapshotAdmitted;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The jobs that were admitted, with their keys. A job is its name and its key: who comes with
 * another key gets a job of his own, with another id. One that never creates I-files is forgotten
 * soon. Part of the core.
 */
public final class AdmittedJobs {
  /** What stands between a job's name and what tells it from others of that name. */
  public static final char TILDE = '~';

  /** Bounds what the metaserver remembers. */
  private static final int MOST_JOBS = 100_000;

  /** Jobs of one name that nothing but the name speaks for, in all and of one address. */
  private static final int MOST_BY_NAME = 64;

  private static final int MOST_BY_NAME_AND_ADDRESS = 4;

  /** Jobs of one user without I-files, of those that more than the name speaks for. */
  private static final int MOST_IDLE = 1000;

  /** How long one may be without I-files. */
  private static final long UNUSED_MS = 600_000;

  private static final long UNUSED_BY_NAME_MS = 60_000;

  private long leaseMs;
  private final FreezableMap<Admitted> byId = new FreezableMap<>();
  private final Map<String, List<Admitted>> byName = new HashMap<>();
  private final Map<String, Set<String>> idleByUser = new HashMap<>();
  private final Ended<NamedKey> ended = new Ended<>();

  /**
   * A job.
   *
   * @param principal with its id and access key
   * @param admit how it was admitted
   * @param sinceMs when
   */
  public record Admitted(Principal principal, Admit admit, long sinceMs) {
    /** The job's id. */
    String id() {
      return principal.job();
    }

    String user() {
      return admit.getUser();
    }

    SnapshotAdmitted snapshot() {
      return SnapshotAdmitted.newBuilder().setJob(id()).setAdmit(admit).setSinceMs(sinceMs).build();
    }

    /** What its tasks prove that they know; null when they have to make boxes. */
    public byte[] taskKey() {
      return admit.getTaskKey().isEmpty() ? null : admit.getTaskKey().toByteArray();
    }
  }

  /** What tells jobs from each other. */
  record NamedKey(String name, ByteString keyId) {}

  /** From here on leases are this long. */
  void leasesLast(long ms) {
    leaseMs = ms;
  }

  /** The job with this id, or null. */
  public Admitted find(String id) {
    return byId.get(id);
  }

  /**
   * The job with this name and key, or null.
   *
   * @throws RequestRefusedException JOB_UNKNOWN when it has ended
   */
  public Admitted find(String name, ByteString keyId, long nowMs) throws RequestRefusedException {
    for (Admitted job : byName.getOrDefault(name, List.of())) {
      if (job.admit().getKeyId().equals(keyId)) {
        return job;
      }
    }
    if (ended.contains(new NamedKey(name, keyId), nowMs, leaseMs)) {
      throw new RequestRefusedException(
          Status.JOB_UNKNOWN,
          "job has ended, or its lease of " + leaseMs + " ms ran out: job=" + name);
    }
    return null;
  }

  /** Whether another job has the name of this one. */
  boolean isShared(String id) {
    Admitted job = byId.get(id);
    return job != null && byName.get(job.admit().getName()).size() > 1;
  }

  /**
   * Admits a job; repeating it is no error.
   *
   * @param isTaken whether an id is that of a job that was not admitted here, or has ended
   * @throws RequestRefusedException BUSY when there are too many, JOB_UNKNOWN when it has ended
   */
  void admit(Admit admit, Predicate<String> isTaken, long nowMs) throws RequestRefusedException {
    String name = admit.getName();
    if (find(name, admit.getKeyId(), nowMs) != null) {
      return;
    }
    requireRoom(admit);
    String id = name;
    if (byId.containsKey(id) || isTaken.test(id)) {
      id = name + TILDE + admit.getSuffix();
    }
    if (byId.containsKey(id) || isTaken.test(id)) {
      throw new RequestRefusedException(
          Status.BUSY, "an id for job=" + name + " is taken, try again: id=" + id);
    }
    restore(id, admit, nowMs);
  }

  /**
   * Checks that a user has not too many jobs without I-files, before one more is admitted. Those
   * that only the name speaks for do not count: they may be somebody else's.
   *
   * @param job for the message
   * @throws RequestRefusedException OVER_QUOTA
   */
  public void requireFewIdle(String user, String job) throws RequestRefusedException {
    int idle = idleByUser.getOrDefault(user, Set.of()).size();
    if (idle >= MOST_IDLE) {
      throw new RequestRefusedException(
          Status.OVER_QUOTA,
          ("too many jobs of the user are admitted and have no I-files: user=%s jobs=%s limit=%s"
                  + " job=%s; those that do nothing are forgotten in %s ms")
              .formatted(user, idle, MOST_IDLE, job, Math.min(leaseMs, UNUSED_MS)));
    }
  }

  private void requireRoom(Admit admit) throws RequestRefusedException {
    int all = 0;
    int ofAddress = 0;
    for (Admitted job : byName.getOrDefault(admit.getName(), List.of())) {
      if (job.admit().getByName()) {
        all++;
        ofAddress += job.admit().getAddress().equals(admit.getAddress()) ? 1 : 0;
      }
    }
    boolean many = all >= MOST_BY_NAME || ofAddress >= MOST_BY_NAME_AND_ADDRESS;
    if (admit.getByName() && many) {
      throw new RequestRefusedException(
          Status.BUSY,
          ("too many jobs use the name=%s of one application: jobs=%s limit=%s, of address=%s"
                  + " jobs=%s limit=%s; those that do nothing are forgotten in %s ms")
              .formatted(
                  admit.getName(),
                  all,
                  MOST_BY_NAME,
                  admit.getAddress(),
                  ofAddress,
                  MOST_BY_NAME_AND_ADDRESS,
                  UNUSED_BY_NAME_MS));
    }
    if (byId.size() >= MOST_JOBS) {
      throw new RequestRefusedException(
          Status.BUSY,
          "too many jobs are admitted: limit=" + MOST_JOBS + " job=" + admit.getName());
    }
  }

  /** Takes a job over from a snapshot, or admits it. */
  void restore(String id, Admit admit, long sinceMs) {
    Principal principal = Principal.ofJob(id, admit.getAccessKey().toByteArray());
    Admitted job = new Admitted(principal, admit, sinceMs);
    byId.add(id, job);
    byName.computeIfAbsent(admit.getName(), name -> new ArrayList<>(1)).add(job);
    if (!admit.getByName()) {
      idleByUser.computeIfAbsent(admit.getUser(), user -> new HashSet<>()).add(id);
    }
  }

  /** The job has I-files now. */
  void begun(String id) {
    Admitted job = byId.get(id);
    if (job != null) {
      notIdle(job);
    }
  }

  private void notIdle(Admitted job) {
    idleByUser.computeIfPresent(
        job.user(), (user, ids) -> ids.remove(job.id()) && ids.isEmpty() ? null : ids);
  }

  /** The job has ended, and what is connected with its key may do nothing any more. */
  void end(String id, long nowMs) {
    Admitted job = forget(id);
    if (job != null) {
      ended.add(new NamedKey(job.admit().getName(), job.admit().getKeyId()), nowMs);
    }
  }

  /** The keys of jobs that have ended. */
  Ended<NamedKey> ended() {
    return ended;
  }

  /** Forgets a job that never had I-files; returns it, or null when there is none. */
  Admitted forget(String id) {
    Admitted job = byId.remove(id);
    if (job != null) {
      job.principal().end();
      notIdle(job);
      List<Admitted> same = byName.get(job.admit().getName());
      same.remove(job);
      if (same.isEmpty()) {
        byName.remove(job.admit().getName());
      }
    }
    return job;
  }

  /** Ids of jobs that have had no I-files for too long: they are to be forgotten. */
  List<String> unused(long nowMs, Predicate<String> hasIfiles) {
    List<String> unused = new ArrayList<>();
    for (Admitted job : byId.values()) {
      long limitMs = Math.min(leaseMs, job.admit().getByName() ? UNUSED_BY_NAME_MS : UNUSED_MS);
      if (nowMs - job.sinceMs() >= limitMs && !hasIfiles.test(job.id())) {
        unused.add(job.id());
      }
    }
    return unused;
  }

  /** All jobs, by id. */
  Collection<Admitted> all() {
    return byId.values();
  }

  /** All jobs that there are now, by id, until {@link #thaw}. */
  Stream<Admitted> freeze() {
    return byId.freeze();
  }

  /** No snapshot is being written any more. */
  void thaw() {
    byId.thaw();
  }
}
