package dev.sailfish.workflow.recovery;

import dev.sailfish.lineage.edge.recompute.RecomputePlan;
import dev.sailfish.workflow.share.Allotment;
import dev.sailfish.workflow.share.Allotments;
import dev.sailfish.workflow.share.ApplicationLook;
import dev.sailfish.workflow.share.Scheduling;
import dev.sailfish.workflow.share.Waiters;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * With what steps run: what is said to YARN when somebody begins or ceases to wait, and what is
 * done when those that wait hold all containers, so that what they wait for cannot run. Such a step
 * is hungry: it has one container at most, its ApplicationMaster's, for some time. It is put before
 * those that wait for it, and containers are taken from them, as many as it needs to go on.
 */
final class Resources {
  /** An ApplicationMaster, and one task. */
  private static final int NEEDED = 2;

  private final RecoverySettings settings;
  private final Cluster cluster;
  private final Allotments rules;
  private final Set<Long> hungry = new HashSet<>();
  private Map<String, ApplicationLook> seen = Map.of();
  private Map<String, ApplicationLook> waitingApplications = Map.of();
  private Map<Long, Allotment> allotments = Map.of();
  private Waiters waiters;
  private String obstacle = "";
  private long taken;

  Resources(RecoverySettings settings, Cluster cluster) {
    this.settings = settings;
    this.cluster = cluster;
    rules = new Allotments(cluster.scheduling(), RecoverySettings.TRANSFER, settings.queue());
  }

  /** Looks at who waits and what runs, and at what each step is to have. */
  void look(RecomputePlan plan, Set<Long> runnable, Collection<Run> runs, Interest interest)
      throws IOException {
    List<String> asked = new ArrayList<>(interest.named());
    runs.forEach(run -> asked.add(run.look().application()));
    asked.removeIf(String::isEmpty);
    seen = asked.isEmpty() ? Map.of() : cluster.applications(asked);
    waitingApplications = interest.applications(seen);
    Map<Long, Set<String>> waiting = interest.byFile(seen);
    waiters = new Waiters(plan, waiting);
    allotments = new HashMap<>(rules.of(plan, runnable, waiting, waitingApplications));
    hungry.retainAll(allotments.keySet());
    hungry.forEach(step -> allotments.computeIfPresent(step, (id, one) -> raised(one)));
  }

  private Allotment raised(Allotment allotment) {
    int priority = Math.min(cluster.scheduling().highest(), allotment.priority() + 1);
    return new Allotment(allotment.queue(), priority, allotment.tasks());
  }

  /** With what a step is to begin. */
  Allotment allotment(long dependency) {
    return allotments.getOrDefault(dependency, new Allotment(settings.queue(), 0, 0));
  }

  /** Whether anybody waits for a step. */
  boolean isWaitedFor(long dependency) {
    return waiters != null && !waiters.of(dependency).isEmpty();
  }

  /** Tells YARN of steps that run and are to have another priority. */
  void inherit(Collection<Run> runs) throws IOException {
    if (!cluster.scheduling().hasPriorities()) {
      return;
    }
    for (Run run : runs) {
      Allotment next = allotment(run.step().id());
      boolean isRunning = run.look().state() == StepLook.State.RUNNING;
      if (isRunning && next.priority() != run.allotment().priority()) {
        cluster.setPriority(run.look().application(), next.priority());
        run.allot(next);
      }
    }
  }

  /** Has containers of those that wait given to steps that they wait for and that get none. */
  void feed(Collection<Run> runs, long nowNs) throws IOException {
    obstacle = "";
    for (Run run : runs) {
      ApplicationLook application = seen.get(run.look().application());
      if (application == null || application.containers() >= NEEDED) {
        run.fed(nowNs);
        hungry.remove(run.step().id());
      } else if (run.hungryNs(nowNs) >= settings.waits().starvedNs()) {
        feed(run, application, nowNs);
      }
    }
  }

  private void feed(Run run, ApplicationLook application, long nowNs) throws IOException {
    List<ApplicationLook> holders = starving(application, holders(run.step().id()));
    if (holders.isEmpty()) {
      return;
    }
    if (hungry.add(run.step().id()) && cluster.scheduling().hasPriorities()) {
      return; // before anything is taken from others, it has to be before them
    }
    List<ApplicationLook> useful =
        holders.stream().filter(holder -> isBefore(run, application, holder)).toList();
    if (useful.isEmpty()) {
      obstacle = obstacle(run, holders.get(0));
      return;
    }
    List<String> from = useful.stream().map(ApplicationLook::id).toList();
    int count = cluster.takeAway(from, NEEDED - application.containers());
    if (count > 0) {
      taken += count;
      run.fed(nowNs);
    }
  }

  /** Applications that wait for a step and have containers besides their ApplicationMasters'. */
  private List<ApplicationLook> holders(long dependency) {
    return waitingApplications.values().stream()
        .filter(application -> waiters.of(dependency).contains(application.id()))
        .filter(application -> application.containers() >= NEEDED)
        .toList();
  }

  /**
   * Those of the applications that have to give containers up for the step to get one: none while
   * there is room; where the step's queue is at its limit, those in it, as what others give up the
   * queue would not get.
   */
  private List<ApplicationLook> starving(ApplicationLook step, List<ApplicationLook> holders)
      throws IOException {
    if (holders.isEmpty()) {
      return holders;
    }
    if (cluster.isFull(step.queue(), holders.get(0))) {
      return holders.stream().filter(holder -> holder.queue().equals(step.queue())).toList();
    }
    return cluster.isFull(holders.get(0)) ? holders : List.of();
  }

  /** Whether the step, and not who waits, would get a container that is free. */
  private boolean isBefore(Run run, ApplicationLook step, ApplicationLook holder) {
    return cluster.scheduling().kind() == Scheduling.Kind.SHARES
        || !step.queue().equals(holder.queue())
        || run.allotment().priority() > holder.priority();
  }

  private String obstacle(Run run, ApplicationLook holder) {
    return "%s recomputes files for dependency %d and gets no container: tasks of %s that wait for"
            .formatted(run.look().application(), run.step().id(), holder.id())
        + " them hold all, and would get those that are taken from them. Its priority would have"
        + " to be above %d, and %d is the highest"
            .formatted(holder.priority(), cluster.scheduling().highest())
        + " (yarn.cluster.max-application-priority); or set sailfish.workflow.queue to a queue of"
        + " its own";
  }

  /** Why a step that is waited for gets nothing; empty: none is in this position. */
  Optional<String> obstacle() {
    return obstacle.isEmpty() ? Optional.empty() : Optional.of(obstacle);
  }

  /** How many containers were taken from those that wait. */
  long taken() {
    return taken;
  }
}
