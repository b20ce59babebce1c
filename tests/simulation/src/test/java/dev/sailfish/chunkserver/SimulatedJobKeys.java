package dev.sailfish.chunkserver;

import dev.sailfish.protocol.Handshake;
import dev.sailfish.protocol.RemoteException;
import dev.sailfish.protocol.Status;
import dev.sailfish.transport.Authenticator;
import dev.sailfish.transport.Principal;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What {@link JobKeys} does, without its thread: somebody else calls {@link #ask} when there are
 * questions.
 */
final class SimulatedJobKeys implements Authenticator, DataKeys {
  private static final long DEADLINE_NS = 3_000_000_000L;

  private record Question(String job, long sinceNs, List<Answer> waiting) {}

  private final Principal cluster;
  private final MetaserverLink.Factory links;
  private final Runnable wake;
  private final Map<String, Principal> known = new LinkedHashMap<>();
  private final Map<String, Question> asked = new LinkedHashMap<>();

  /**
   * @param wake called when there is a question
   */
  SimulatedJobKeys(byte[] secret, MetaserverLink.Factory links, Runnable wake) {
    this.cluster = Principal.ofCluster(secret);
    this.links = links;
    this.wake = wake;
  }

  @Override
  public void find(String name, byte[] unused, Answer answer) {
    find(name, answer);
  }

  private void find(String name, Answer answer) {
    if (name.equals(Handshake.CLUSTER)) {
      answer.found(cluster);
      return;
    }
    String prefix = Handshake.JOB_PREFIX;
    String job = name.startsWith(prefix) ? name.substring(prefix.length()) : "";
    if (!ChunkSpec.isJob(job)) {
      answer.refused(Status.UNAUTHENTICATED, "principal must be 'cluster' or 'job <id>'");
    } else if (known.containsKey(job)) {
      answer.found(known.get(job));
    } else {
      asked
          .computeIfAbsent(job, j -> new Question(j, links.network().nanoTime(), new ArrayList<>()))
          .waiting()
          .add(answer);
      wake.run();
    }
  }

  @Override
  public void introduce(Introduced introduced, Answer answer) {
    answer.refused(Status.UNAUTHENTICATED, "jobs are introduced to the metaserver only");
  }

  @Override
  public byte[] dataKey(String job, Answer whenAsked) {
    Principal principal = known.get(job);
    if (principal == null) {
      find(Handshake.JOB_PREFIX + job, whenAsked);
      return null;
    }
    return Handshake.dataKey(principal.copyOfKey(), job);
  }

  /** The job has ended. */
  void forget(String job) {
    Principal principal = known.remove(job);
    if (principal != null) {
      principal.end();
    }
    refuse(asked.get(job), Status.JOB_UNKNOWN, "job=" + job + " has ended");
  }

  boolean hasQuestions() {
    return !asked.isEmpty();
  }

  /** Asks the metaserver everything; what it cannot be asked in time is refused. */
  void ask() {
    try (MetaserverLink link = links.open()) {
      for (Question question : List.copyOf(asked.values())) {
        ask(question, link);
      }
    } catch (IOException e) {
      for (Question question : List.copyOf(asked.values())) {
        if (links.network().nanoTime() - question.sinceNs() >= DEADLINE_NS) {
          refuse(question, Status.BUSY, "the metaserver cannot be asked: " + e.getMessage());
        }
      }
    }
  }

  private void ask(Question question, MetaserverLink link) throws IOException {
    try {
      Principal found = Principal.ofJob(question.job(), link.jobKey(question.job()));
      if (asked.remove(question.job(), question)) {
        known.put(question.job(), found);
        question.waiting().forEach(waiting -> waiting.found(found));
      }
    } catch (RemoteException e) {
      if (e.status() == Status.NOT_LEADER) {
        throw e;
      }
      refuse(question, e.status(), e.getMessage());
    }
  }

  private void refuse(Question question, Status status, String message) {
    if (question != null && asked.remove(question.job(), question)) {
      question.waiting().forEach(waiting -> waiting.refused(status, message));
    }
  }
}
