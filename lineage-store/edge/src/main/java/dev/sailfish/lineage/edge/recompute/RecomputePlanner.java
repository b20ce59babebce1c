package dev.sailfish.lineage.edge.recompute;

import dev.sailfish.lineage.edge.recompute.Unrecoverable.Cause;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Determines what has to be recomputed, and in which order: a depth-first search from the files
 * that are wanted, towards what they are made of, that stops at files which are available (section
 * 5.2 of the paper). Nothing is launched from within a job, so none waits in a slot of the cluster
 * for another one.
 *
 * <p>A dependency runs once, for exactly those lost outputs that are wanted or that others are made
 * of. A file that cannot be recomputed, and everything that is made of it, is not in the plan but
 * {@link Unrecoverable}.
 *
 * <p>The search takes a time in proportion to the inputs of the dependencies that it visits, does
 * not recurse, and ends for lineage with cycles too.
 */
public final class RecomputePlanner {
  private final Lineage lineage;

  /** A planner that looks at this lineage each time. */
  public RecomputePlanner(Lineage lineage) {
    this.lineage = lineage;
  }

  /**
   * Plans.
   *
   * @param targets FIDs that are wanted; those that are available need nothing
   */
  public RecomputePlan plan(Collection<Long> targets) {
    Search search = new Search(lineage);
    targets.forEach(search::visit);
    return search.plan(targets);
  }

  /** One search. */
  private static final class Search {
    /** A file whose inputs are being looked at. */
    private record Visit(long fid, Dependency maker, int place, Iterator<Long> inputs) {}

    /** What is to be run of a dependency. */
    private static final class Run {
      final Dependency dependency;
      final Set<Integer> places = new TreeSet<>();
      final Set<Long> inputs = new LinkedHashSet<>();
      final Set<Long> after = new LinkedHashSet<>();
      final List<Run> followers = new ArrayList<>();
      int missing;
      int level;

      Run(Dependency dependency) {
        this.dependency = dependency;
      }

      RecomputeStep step() {
        List<Long> outputs = places.stream().map(dependency.outputs()::get).toList();
        return new RecomputeStep(
            dependency, outputs, List.copyOf(inputs), List.copyOf(after), level);
      }
    }

    private final Lineage lineage;
    private final Deque<Visit> path = new ArrayDeque<>();
    private final Set<Long> onPath = new LinkedHashSet<>();
    private final Map<Long, Visit> recoverable = new HashMap<>(); // by file
    private final Map<Long, Unrecoverable> unrecoverable = new LinkedHashMap<>();
    private final Map<Long, Run> runs = new LinkedHashMap<>();

    Search(Lineage lineage) {
      this.lineage = lineage;
    }

    void visit(long target) {
      enter(target);
      while (!path.isEmpty()) {
        Visit visit = path.peek();
        if (visit.inputs().hasNext()) {
          look(visit, visit.inputs().next());
        } else {
          leave(path.pop());
        }
      }
    }

    /** Begins with a file, unless it is known what becomes of it. */
    private void enter(long fid) {
      if (recoverable.containsKey(fid) || unrecoverable.containsKey(fid)) {
        return;
      }
      if (lineage.isAvailable(fid)) {
        return;
      }
      Dependency maker = lineage.maker(fid).orElse(null);
      int place = maker == null ? -1 : maker.outputs().indexOf(fid);
      if (place < 0) {
        unrecoverable.put(fid, new Unrecoverable(fid, Cause.NO_LINEAGE, fid));
        return;
      }
      onPath.add(fid);
      path.push(new Visit(fid, maker, place, maker.inputsOf(place).iterator()));
    }

    private void look(Visit visit, long input) {
      if (onPath.contains(input)) {
        unrecoverable.putIfAbsent(visit.fid(), new Unrecoverable(visit.fid(), Cause.CYCLE, input));
      } else {
        enter(input);
      }
    }

    /** All inputs of a file have been looked at. */
    private void leave(Visit visit) {
      onPath.remove(visit.fid());
      for (long input : visit.maker().inputsOf(visit.place())) {
        Unrecoverable lost = unrecoverable.get(input);
        if (lost != null) {
          unrecoverable.putIfAbsent(
              visit.fid(), new Unrecoverable(visit.fid(), lost.cause(), lost.culprit()));
        }
      }
      if (!unrecoverable.containsKey(visit.fid())) {
        recoverable.put(visit.fid(), visit);
      }
    }

    /**
     * Gathers what has to run for a target. What was visited for files alone that turned out to be
     * lost for ever does not run.
     */
    private void gather(long target) {
      Deque<Long> open = new ArrayDeque<>(List.of(target));
      while (!open.isEmpty()) {
        Visit visit = recoverable.get(open.pop());
        if (visit == null) {
          continue;
        }
        Dependency maker = visit.maker();
        Run run = runs.computeIfAbsent(maker.id(), id -> new Run(maker));
        if (run.places.add(visit.place())) {
          run.inputs.addAll(maker.inputsOf(visit.place()));
          open.addAll(maker.inputsOf(visit.place()));
        }
      }
    }

    /** Puts the runs in order: first those that wait for none, then those that wait for these. */
    RecomputePlan plan(Collection<Long> targets) {
      targets.forEach(this::gather);
      runs.values().forEach(this::link);
      Deque<Run> ready = new ArrayDeque<>();
      runs.values().stream().filter(run -> run.missing == 0).forEach(ready::add);
      List<RecomputeStep> steps = new ArrayList<>();
      while (!ready.isEmpty()) {
        Run run = ready.remove();
        steps.add(run.step());
        for (Run follower : run.followers) {
          follower.level = Math.max(follower.level, run.level + 1);
          if (--follower.missing == 0) {
            ready.add(follower);
          }
        }
      }
      runs.values().stream().filter(run -> run.missing > 0).forEach(this::giveUp);
      return new RecomputePlan(steps, List.copyOf(unrecoverable.values()));
    }

    private void link(Run run) {
      for (long input : run.inputs) {
        Visit visit = recoverable.get(input);
        if (visit != null && run.after.add(visit.maker().id())) {
          runs.get(visit.maker().id()).followers.add(run);
          run.missing++;
        }
      }
    }

    /** A NARROW dependency that needs one of its outputs, by way of others, to make another one. */
    private void giveUp(Run run) {
      for (long output : run.step().outputs()) {
        unrecoverable.put(output, new Unrecoverable(output, Cause.CYCLE, output));
      }
    }
  }
}
