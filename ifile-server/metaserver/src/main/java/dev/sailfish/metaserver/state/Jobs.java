package dev.sailfish.metaserver.state;

import dev.sailfish.ground.journal.FreezableMap;
import dev.sailfish.ground.journal.Freeze;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.metaserver.manifest.ManifestMemory;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * All jobs and their leases. A lease is renewed by every request that names the job. The names of
 * jobs that ended are remembered for the length of a lease, so that a straggling task cannot bring
 * its job back to life.
 */
public final class Jobs {
  private final Freeze freeze = new Freeze();
  private ManifestMemory memory = new ManifestMemory();
  private final JobHeap heap = new JobHeap();
  private long leaseMs;
  private final FreezableMap<Job> jobs = new FreezableMap<>();
  private final Ended<String> ended = new Ended<>();

  /** From here on leases are this long. */
  void leasesLast(long ms) {
    leaseMs = ms;
  }

  /** How long a job lives that nobody names, in ms. */
  long leaseMs() {
    return leaseMs;
  }

  /** The job, or null; its lease is not renewed. */
  Job find(String name) {
    return jobs.get(name);
  }

  /**
   * The job, which lives, with its lease renewed.
   *
   * @throws RequestRefusedException JOB_UNKNOWN, also when it is only kept
   */
  Job requireLive(String name, long nowMs) throws RequestRefusedException {
    Job job = require(name, nowMs);
    if (job.isKept()) {
      throw endedAndKept(name);
    }
    return job;
  }

  private static RequestRefusedException endedAndKept(String name) {
    return new RequestRefusedException(
        Status.JOB_UNKNOWN,
        "job has ended, and what is kept of it can be read and dropped only: job=" + name);
  }

  /**
   * The job, also one that has ended and is kept, with its lease renewed.
   *
   * @throws RequestRefusedException JOB_UNKNOWN
   */
  public Job require(String name, long nowMs) throws RequestRefusedException {
    Job job = jobs.get(name);
    if (job == null) {
      throw unknown(name);
    }
    job.renew(nowMs);
    return job;
  }

  /**
   * Checks that a name can be that of a job that lives or is to come.
   *
   * @throws RequestRefusedException JOB_UNKNOWN when the job has ended
   */
  void requireNotEnded(String name, long nowMs) throws RequestRefusedException {
    if (ended.contains(name, nowMs, leaseMs)) {
      throw unknown(name);
    }
  }

  private RequestRefusedException unknown(String name) {
    return new RequestRefusedException(
        Status.JOB_UNKNOWN,
        ended.contains(name)
            ? "job has ended, or its lease of " + leaseMs + " ms ran out: job=" + name
            : "job is unknown here; it never created its I-files, or the metaserver was restarted"
                + " without its journal: job="
                + name);
  }

  /**
   * Adds a job or finds it.
   *
   * @param encryptAll whether a new job is encrypted also when it does not ask for it; one that is
   *     there stays as it is
   * @return the job and whether it is new
   * @throws RequestRefusedException CONFLICT when it exists with other parameters, JOB_UNKNOWN when
   *     it has ended
   */
  Created create(JobSpec spec, boolean encryptAll, long nowMs) throws RequestRefusedException {
    Job job = jobs.get(spec.name());
    if (job == null) {
      if (ended.contains(spec.name())) {
        throw unknown(spec.name());
      }
      job = new Job(spec.encryptedIf(encryptAll), memory, heap, freeze, nowMs);
      jobs.add(spec.name(), job);
      return new Created(job, true);
    }
    if (job.isKept()) {
      throw endedAndKept(spec.name());
    }
    if (!job.spec().equals(spec.encryptedIf(job.spec().encrypted()))) {
      throw new RequestRefusedException(
          Status.CONFLICT,
          "job exists with other parameters: existing=" + job.spec() + " requested=" + spec);
    }
    job.renew(nowMs);
    return new Created(job, false);
  }

  /** Answer of {@link #create}. */
  record Created(Job job, boolean isNew) {}

  /** Takes a job out; its name is remembered. */
  void remove(Job job, long nowMs) {
    jobs.remove(job.name());
    job.release();
    ended.add(job.name(), nowMs);
  }

  /** Takes a job over from a snapshot. */
  Job restore(JobSpec spec, long nowMs) {
    Job job = new Job(spec, memory, heap, freeze, nowMs);
    jobs.add(job.name(), job);
    return job;
  }

  /** Takes the memory of others over, whose manifests are of no use from here on. */
  public void takeMemoryOf(Jobs others) {
    others.jobs.values().forEach(Job::release);
    memory = others.memory;
  }

  /** All jobs that there are now, by name, which keep how they are until {@link #thaw}. */
  Stream<Job> freeze() {
    freeze.begin();
    memory.hold();
    return jobs.freeze();
  }

  /** No snapshot is being written any more. */
  void thaw() {
    freeze.end();
    memory.letGo();
    jobs.thaw();
  }

  /** What the manifests of all jobs take, in bytes. */
  long manifestBytes() {
    return memory.bytes();
  }

  /** The names of jobs that have ended. */
  Ended<String> ended() {
    return ended;
  }

  /** Every lease begins anew. */
  void renewAll(long nowMs) {
    jobs.values().forEach(job -> job.renew(nowMs));
  }

  /** Jobs that live and nobody named for the length of a lease. */
  List<Job> expired(long nowMs) {
    List<Job> expired = new ArrayList<>();
    for (Job job : jobs.values()) {
      if (!job.isKept() && nowMs - job.renewedMs() >= leaseMs) {
        expired.add(job);
      }
    }
    return expired;
  }

  /**
   * What the jobs of a job's user have together. A job whose name others have too counts by itself:
   * who uses the name of somebody's application uses up nothing of him.
   *
   * @param isShared whether others have the name of the job with this id
   */
  UserQuota.Usage usage(JobSpec spec, Predicate<String> isShared) {
    UserQuota.Usage usage = new UserQuota.Usage(spec.user(), 0, 0, 0, 0);
    if (isShared.test(spec.name())) {
      Job alone = jobs.get(spec.name());
      return alone == null ? usage : usage.with(alone);
    }
    for (Job job : jobs.values()) {
      if (job.spec().user().equals(spec.user()) && !isShared.test(job.name())) {
        usage = usage.with(job);
      }
    }
    return usage;
  }

  /** What all users have that have any job, by user, or by user and id; a new map. */
  Map<String, UserQuota.Usage> usages(Predicate<String> isShared) {
    Map<String, UserQuota.Usage> usages = new TreeMap<>();
    for (Job job : jobs.values()) {
      String user = job.spec().user();
      if (isShared.test(job.name())) {
        user = user + " " + job.name();
      }
      usages.put(user, usages.getOrDefault(user, new UserQuota.Usage(user, 0, 0, 0, 0)).with(job));
    }
    return usages;
  }

  /** Names of all jobs that live; a new list. */
  public List<String> names() {
    return jobs.values().stream().filter(job -> !job.isKept()).map(Job::name).toList();
  }

  /** Jobs that have ended and are kept, the one that ended first first; a new list. */
  List<Job> kept() {
    return jobs.values().stream()
        .filter(Job::isKept)
        .sorted(Comparator.comparingLong(job -> job.kept().getSinceMs()))
        .toList();
  }

  /** All jobs by name, also those that are kept. */
  Collection<Job> all() {
    return jobs.values();
  }
}
