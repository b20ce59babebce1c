package dev.sailfish.lineage.edge.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.testkit.Seeded;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Random events, and after each of them what a walk over the whole graph says of it. */
@Seeded
class EdgePolicyModelTest {
  private static final int FILES = 40;
  private static final int EVENTS = 3000;

  /** The same graph, slowly: nothing is counted, everything is looked for. */
  private static final class Model {
    final Map<Long, FileState> states = new HashMap<>();
    final Map<Long, Set<Long>> inputs = new HashMap<>();
    final Map<Long, Set<Long>> jobs = new HashMap<>(); // outputs of the job that makes a file
    final Set<Long> currentEdge = new HashSet<>();
    final Map<Long, Set<Long>> growing = new HashMap<>(); // outputs of jobs, by name
    final Set<Long> begun = new HashSet<>(); // files of which writing has begun
    final Set<Long> passed = new HashSet<>(); // files that lost their place in the edge
    final Set<Long> everDone = new HashSet<>(); // files of jobs that were done at some time

    FileState state(long file) {
      return states.getOrDefault(file, FileState.EXPECTED);
    }

    /** No further output will be named. */
    boolean isSealed(Set<Long> job) {
      return growing.values().stream().noneMatch(outputs -> outputs == job);
    }

    boolean isDone(Set<Long> job) {
      return isSealed(job)
          && job.stream().allMatch(file -> state(file) != FileState.EXPECTED)
          && job.stream().anyMatch(this::isPresent);
    }

    /** It is there, or something names it that was, or will be, made of it. */
    boolean isPresent(long file) {
      return state(file).isVertex()
          || state(file) == FileState.DELETED && readers(file).anyMatch(job -> !isOver(job));
    }

    boolean isOver(Set<Long> job) {
      return isSealed(job)
          && job.stream().allMatch(file -> state(file) != FileState.EXPECTED && !isPresent(file));
    }

    Stream<Set<Long>> readers(long file) {
      return inputs.entrySet().stream()
          .filter(entry -> entry.getValue().contains(file))
          .map(entry -> jobs.get(entry.getKey()));
    }

    boolean isLeaf(long file) {
      return readers(file).noneMatch(this::isDone);
    }

    /** Jobs that read a file and run, as far as is known. */
    long running(long file) {
      return readers(file).distinct().filter(job -> !isDone(job) && !isOver(job)).count();
    }

    /** With patience, of the inputs of a job that is done: its outputs take their place. */
    boolean canBePassed(long file, Set<Long> job) {
      boolean wasLeaf = readers(file).allMatch(one -> one == job || !isDone(one));
      return state(file) == FileState.WAITING
          && (wasLeaf || currentEdge.contains(file))
          && running(file) == 0
          && !passed.contains(file)
          && jobs.get(file).stream().noneMatch(begun::contains);
    }

    /** What a job that is done for the first time does to the edge. */
    void takePlace(Set<Long> job) {
      if (everDone.containsAll(job) || !isDone(job)) {
        return;
      }
      everDone.addAll(job);
      Set<Long> given = new HashSet<>(inputs.get(job.iterator().next()));
      given.removeIf(file -> !canBePassed(file, job));
      if (given.stream().anyMatch(currentEdge::contains)) {
        job.stream().filter(file -> state(file) == FileState.WAITING).forEach(currentEdge::add);
      }
      currentEdge.removeAll(given);
      passed.addAll(given);
    }

    /** Another job reads files. */
    void comeBack(Set<Long> read) {
      read.stream()
          .filter(file -> passed.contains(file) && state(file) == FileState.WAITING)
          .filter(file -> !isLeaf(file))
          .forEach(currentEdge::add);
    }

    Set<Long> leaves() {
      Set<Long> leaves = new HashSet<>();
      states.forEach(
          (file, state) -> {
            if (state == FileState.WAITING && isLeaf(file)) {
              leaves.add(file);
            }
          });
      return leaves;
    }
  }

  private final Model model = new Model();
  private EdgePolicy policy;
  private boolean isPatient;
  private long nextFile = 1;
  private long nextJob = 1;
  private long nowNs;
  private int waits;

  @Test
  void whatComesNextIsOfTheEdge(SplittableRandom random) {
    policy = new EdgePolicy(EdgeSettings.LEAVES_ALONE);
    happens(random);
    assertThat(waits).isZero();
  }

  @Test
  void whatComesNextWithPatienceIsOfTheEdgeOrWhatWasMadeOfIt(SplittableRandom random) {
    policy = new EdgePolicy(EdgeSettings.PATIENT_LEAVES);
    isPatient = true;
    happens(random);
  }

  private void happens(SplittableRandom random) {
    List<Long> files = new ArrayList<>();
    for (int i = 0; i < EVENTS; i++) {
      if (files.size() < FILES || random.nextInt(20) == 0) {
        files.addAll(submit(files, random));
      }
      if (!model.growing.isEmpty()) {
        grow(files, random);
      }
      happen(files.get(files.size() - 1 - random.nextInt(Math.min(FILES, files.size()))), random);
      nowNs += random.nextInt(100);
      check();
    }
  }

  private Set<Long> submit(List<Long> files, SplittableRandom random) {
    Set<Long> inputs = new HashSet<>();
    for (int i = random.nextInt(4); i > 0 && !files.isEmpty(); i--) {
      long input = files.get(files.size() - 1 - random.nextInt(Math.min(10, files.size())));
      if (model.state(input) != FileState.DELETED) {
        inputs.add(input);
      }
    }
    Set<Long> outputs = new HashSet<>();
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      add(inputs, outputs);
    }
    long[] read = inputs.stream().mapToLong(file -> file).toArray();
    if (random.nextBoolean()) {
      model.comeBack(isPatient ? inputs : Set.of());
      policy.submitted(read, outputs.stream().mapToLong(file -> file).toArray(), nowNs);
    } else {
      long job = nextJob++;
      model.comeBack(isPatient ? inputs : Set.of());
      policy.began(job, read, nowNs);
      outputs.forEach(output -> policy.grew(job, output));
      model.growing.put(job, outputs);
    }
    return outputs;
  }

  private long add(Set<Long> inputs, Set<Long> outputs) {
    long output = nextFile++;
    outputs.add(output);
    model.inputs.put(output, inputs);
    model.jobs.put(output, outputs);
    model.states.put(output, FileState.EXPECTED);
    return output;
  }

  /** One job names another file, or no more. */
  private void grow(List<Long> files, SplittableRandom random) {
    List<Long> jobs = List.copyOf(new TreeSet<>(model.growing.keySet()));
    long job = jobs.get(random.nextInt(jobs.size()));
    Set<Long> outputs = model.growing.get(job);
    if (random.nextInt(3) > 0) {
      long file = add(model.inputs.get(outputs.iterator().next()), outputs);
      policy.grew(job, file);
      files.add(file);
    } else {
      policy.sealed(job, nowNs);
      model.growing.remove(job);
      takePlace(outputs);
    }
  }

  private void happen(long file, SplittableRandom random) {
    List<FileState> next = List.copyOf(new TreeSet<>(model.state(file).next()));
    if (next.isEmpty()) {
      return;
    }
    FileState state = next.get(random.nextInt(next.size()));
    if (isPatient && state == FileState.WRITING && random.nextInt(8) > 0) {
      return; // a writer that writes all the time has nothing to wait for
    }
    switch (state) {
      case WAITING -> {
        if (model.state(file) == FileState.WRITING) {
          policy.failed(file, 1);
        } else {
          policy.completed(file, nowNs);
        }
      }
      case WRITING -> policy.started(file, nowNs);
      case CHECKPOINTED -> policy.checkpointed(file, 1);
      case LOST -> policy.lost(file);
      case DELETED -> policy.deleted(file);
      case EXPECTED -> throw new AssertionError("nothing becomes EXPECTED");
    }
    model.states.put(file, state);
    if (state != FileState.WAITING) {
      model.currentEdge.remove(file);
    }
    if (state == FileState.WRITING) {
      model.begun.add(file);
    }
    takePlace(model.jobs.get(file));
  }

  private void takePlace(Set<Long> job) {
    if (isPatient) {
      model.takePlace(job);
    }
  }

  private void check() {
    long edges = policy.edges();
    OptionalLong next = policy.next(nowNs);
    if (next.isEmpty() && policy.askAgainNs().isPresent()) {
      assertThat(policy.askAgainNs().getAsLong()).isGreaterThan(nowNs);
      assertThat(policy.next(nowNs)).as("asked again").isEmpty();
      assertThat(model.states).as("nothing is written").doesNotContainValue(FileState.WRITING);
      waits++;
      next = policy.next(CheckpointPolicy.UNKNOWN_NS);
    }
    if (policy.edges() > edges) {
      assertThat(model.currentEdge).as("the edge before").isEmpty();
      model.currentEdge.addAll(model.leaves());
    }
    if (!model.currentEdge.isEmpty()) {
      assertThat(model.currentEdge).contains(next.orElseThrow());
    } else if (next.isPresent()) {
      assertThat(model.leaves()).as("leaves go before the rest").isEmpty();
      assertThat(model.state(next.getAsLong())).isEqualTo(FileState.WAITING);
    } else {
      assertThat(model.leaves()).isEmpty();
    }
    assertThat(policy.next(CheckpointPolicy.UNKNOWN_NS)).as("asked again").isEqualTo(next);
  }
}
