package dev.sailfish.chunkserver;

import dev.sailfish.chunkserver.chunk.ChunkSpec;
import dev.sailfish.chunkserver.sort.DataKeys;
import dev.sailfish.ground.server.Authenticator;
import dev.sailfish.ground.server.Principal;
import dev.sailfish.ground.wire.Clock;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.RetryPolicy;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.secret.Handshake;
import dev.sailfish.protocol.client.MetaserverClient;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who may connect to the chunkserver: the cluster, and jobs whose key the metaserver knows. Keys
 * are asked for when a job's first task connects, or when an encrypted chunk that has outlived its
 * process is to be sorted, by a thread of their own, so that no connection waits for another job's
 * key; they are kept until the job ends. This server may not have heard of an end, so all are asked
 * for again when it has registered, and are good until the answer. Thread-safe.
 */
final class JobKeys implements Authenticator, DataKeys, Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(JobKeys.class);

  /** The oldest go when there are more; they are asked for again when they are needed. */
  private static final int MOST_KEYS = 100_000;

  /** Names that strangers invent are asked for too. */
  private static final int MOST_QUESTIONS = 10_000;

  private static final long CLOSE_DEADLINE_MS = 5_000;
  private static final String CLOSING = "the chunkserver is closing";

  /** A key that the metaserver is asked for, and who waits for it. */
  private record Question(String job, long sinceNs, List<Answer> waiting) {}

  private final Principal cluster;
  private final Clock clock;
  private final MetaserverClient metaserver;
  private final Duration deadline;
  private final Thread thread = new Thread(this::run, "job-keys");

  // Guarded by this object's monitor.
  private final Map<String, Principal> known = new LinkedHashMap<>();
  private final Map<String, Question> asked = new LinkedHashMap<>();
  private boolean closed;

  /**
   * @param secret the cluster secret
   * @param metaserver is used and closed by the thread
   * @param deadline after which a client is told that its job's key cannot be learnt now
   */
  JobKeys(byte[] secret, MetaserverClient metaserver, Duration deadline) {
    this.cluster = Principal.ofCluster(secret);
    this.clock = metaserver.clock();
    this.metaserver = metaserver;
    this.deadline = deadline;
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  // ---- for connections

  @Override
  public void find(String name, byte[] unused, Answer answer) {
    String prefix = Handshake.JOB_PREFIX;
    String job = name.startsWith(prefix) ? name.substring(prefix.length()) : "";
    if (name.equals(Handshake.CLUSTER)) {
      answer.found(cluster);
    } else if (ChunkSpec.isJob(job)) {
      findJob(job, answer);
    } else {
      answer.refused(
          Status.UNAUTHENTICATED,
          "principal must be 'cluster' or 'job <id>'; tasks learn their job's id from the"
              + " metaserver");
    }
  }

  private void findJob(String job, Answer answer) {
    Principal principal;
    String refusal = CLOSING;
    synchronized (this) {
      principal = known.get(job);
      boolean tooMany = asked.size() >= MOST_QUESTIONS && !asked.containsKey(job);
      if (principal == null && !closed && !tooMany) {
        ask(job).waiting().add(answer);
        notifyAll();
        return;
      }
      if (!closed) {
        refusal = "too many keys are asked for: jobs=" + asked.size() + " job=" + job;
      }
    }
    if (principal == null) {
      answer.refused(Status.BUSY, refusal);
    } else {
      answer.found(principal);
    }
  }

  /** The question for a job's key, which may be there; under the monitor. */
  private Question ask(String job) {
    return asked.computeIfAbsent(job, j -> new Question(j, clock.nanoTime(), new ArrayList<>()));
  }

  @Override
  public void introduce(Introduced introduced, Answer answer) {
    answer.refused(Status.UNAUTHENTICATED, "jobs are introduced to the metaserver only");
  }

  // ---- for chunksorters

  @Override
  public byte[] dataKey(String job, Answer whenAsked) {
    Principal principal;
    synchronized (this) {
      principal = known.get(job);
    }
    if (principal == null) {
      findJob(job, whenAsked);
      return null;
    }
    return Handshake.dataKey(principal.copyOfKey(), job);
  }

  // ---- the end of a job

  /** The job has ended: its key is not valid any more, here and on connections that used it. */
  void forget(String job) {
    Principal principal;
    Question question;
    synchronized (this) {
      principal = known.remove(job);
      question = asked.remove(job);
    }
    if (principal != null) {
      principal.end();
    }
    if (question != null) {
      String message = "job=" + job + " has ended, its chunks are deleted";
      question.waiting().forEach(waiting -> waiting.refused(Status.JOB_UNKNOWN, message));
    }
  }

  /** This server has registered: which of the jobs have ended meanwhile, the metaserver knows. */
  synchronized void renew() {
    known.keySet().stream().limit(MOST_QUESTIONS / 2).forEach(this::ask);
    notifyAll();
  }

  /** Whether there are keys to ask the metaserver for. */
  synchronized boolean hasQuestions() {
    return !asked.isEmpty();
  }

  /** How many keys are kept. */
  synchronized int size() {
    return known.size();
  }

  // ---- the thread

  private void run() {
    int failures = 0;
    while (awaitQuestions()) {
      failures = ask() ? 0 : failures + 1;
      if (failures > 0) {
        pause(RetryPolicy.TASK.waitNs(failures, clock.nanoTime()));
      }
    }
    metaserver.close();
  }

  /**
   * Asks the metaserver for all keys that are wanted; what the thread does again and again.
   *
   * @return false when it could not be asked for all of them
   */
  boolean ask() {
    try {
      for (Question question : questions()) {
        ask(question);
      }
      return true;
    } catch (IOException e) {
      LOG.debug("metaserver was not asked for keys, trying again", e);
      refuseLate(e);
    } catch (RuntimeException e) {
      LOG.error("asking for keys failed, trying again", e);
      refuseLate(new IOException(e));
    }
    metaserver.close();
    return false;
  }

  /** Returns false when all is over. */
  private synchronized boolean awaitQuestions() {
    while (asked.isEmpty() && !closed) {
      try {
        wait();
      } catch (InterruptedException e) {
        LOG.debug("interrupted while waiting for questions, closed={}", closed);
      }
    }
    return !closed;
  }

  /** What is not answered yet. */
  private synchronized List<Question> questions() {
    return List.copyOf(asked.values());
  }

  private void ask(Question question) throws IOException {
    try {
      answer(question, Principal.ofJob(question.job(), metaserver.accessKey(question.job())));
    } catch (RemoteException e) {
      if (e.status() == Status.NOT_LEADER) {
        throw e; // one will lead soon
      }
      if (e.status() == Status.JOB_UNKNOWN) {
        forgetUnlessAnswered(question);
      }
      refuse(question, e.status(), e.getMessage());
    }
  }

  private void answer(Question question, Principal told) {
    Principal principal = told;
    synchronized (this) {
      if (!take(question)) {
        return;
      }
      Principal before = known.get(question.job());
      if (before != null && hasSameKey(before, told)) {
        principal = before;
      } else if (before != null) {
        before.end();
      }
      known.put(question.job(), principal);
      if (known.size() > MOST_KEYS) {
        known.remove(known.keySet().iterator().next());
      }
    }
    for (Answer waiting : question.waiting()) {
      waiting.found(principal);
    }
  }

  private static boolean hasSameKey(Principal one, Principal other) {
    return MessageDigest.isEqual(one.copyOfKey(), other.copyOfKey());
  }

  /** There is no such job any more: a key of it is not valid. */
  private void forgetUnlessAnswered(Question question) {
    Principal before;
    synchronized (this) {
      before = question.equals(asked.get(question.job())) ? known.remove(question.job()) : null;
    }
    if (before != null) {
      before.end();
    }
  }

  /** Whether the question was still open; it is not any more, and nobody joins it. */
  private synchronized boolean take(Question question) {
    return asked.remove(question.job(), question);
  }

  /** Answers a question, unless that was done. */
  private void refuse(Question question, Status status, String message) {
    if (take(question)) {
      question.waiting().forEach(waiting -> waiting.refused(status, message));
    }
  }

  private void refuseLate(IOException cause) {
    for (Question question : questions()) {
      if (clock.nanoTime() - question.sinceNs() >= deadline.toNanos()) {
        refuse(
            question,
            Status.BUSY,
            "the metaserver cannot be asked for the key of job=%s in %s ms: %s"
                .formatted(question.job(), deadline.toMillis(), cause.getMessage()));
      }
    }
  }

  private void pause(long waitNs) {
    try {
      clock.pause(clock.nanoTime() + waitNs, "to ask for keys again");
    } catch (InterruptedIOException e) {
      LOG.debug("interrupted={} while pausing", Thread.interrupted());
    }
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      notifyAll();
    }
    thread.interrupt();
    try {
      thread.join(CLOSE_DEADLINE_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    questions().forEach(question -> refuse(question, Status.BUSY, CLOSING));
  }
}
