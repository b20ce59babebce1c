package dev.sailfish.workflow.recovery;

import dev.sailfish.hadoop.lineage.wire.MapReduceJob;
import dev.sailfish.hadoop.lineage.wire.Recipe;
import dev.sailfish.lineage.edge.recompute.Backoff;
import dev.sailfish.lineage.edge.recompute.RecoveryModel;
import dev.sailfish.lineage.edge.recompute.TemporaryFiles;
import dev.sailfish.lineage.protocol.wire.DependencyInput;
import dev.sailfish.lineage.protocol.wire.DependencyOutput;
import dev.sailfish.lineage.protocol.wire.DependencyRecord;
import dev.sailfish.lineage.protocol.wire.DependencyType;
import dev.sailfish.lineage.protocol.wire.LostFile;
import dev.sailfish.lineage.protocol.wire.OutputState;
import dev.sailfish.workflow.share.ApplicationLook;
import dev.sailfish.workflow.share.Scheduling;
import dev.sailfish.workflow.step.StepRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/** A lineage store and a YARN cluster in memory, of which a test says what happens. */
final class World implements RecordStore, Steps, Cluster {
  static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);

  /** An application of YARN. */
  static final class Application {
    final String id;
    final StepRequest request;
    StepLook look;
    boolean killed;

    Application(String id, StepRequest request) {
      this.id = id;
      this.request = request;
      look = StepLook.running(id, 0);
    }

    long dependency() {
      return request.record().getId();
    }

    boolean isRunning() {
      return !look.state().isEnd();
    }
  }

  /** Whose applications are, and who waits if a test does not say more. */
  static final String USER = "u";

  private record Waiter(String application, String user) {}

  private final Map<Long, DependencyRecord> records = new TreeMap<>();
  private final Map<Long, Long> makers = new HashMap<>();
  private final Map<Long, OutputState> states = new TreeMap<>();
  private final Set<Long> unrecordedLost = new TreeSet<>();
  private final Map<Long, Set<Waiter>> waiting = new HashMap<>();
  private final Map<Long, String> tracked = new HashMap<>(); // application, by dependency
  final Map<Long, String> givenUp = new TreeMap<>();
  final Map<Long, String> reports = new TreeMap<>();
  final Map<Long, String> paths = new HashMap<>();
  final Map<String, Application> applications = new LinkedHashMap<>();
  final Map<String, ApplicationLook> others = new LinkedHashMap<>();

  /** Applications that only say that they recompute, by dependency. */
  final Map<Long, ApplicationLook> pretenders = new HashMap<>();

  final Map<String, Integer> containers = new HashMap<>(); // of steps
  final Map<String, Integer> priorities = new HashMap<>(); // that were changed
  final List<String> taken = new ArrayList<>();
  Scheduling scheduling = new Scheduling(Scheduling.Kind.PRIORITIES, 10);
  final Set<String> fullQueues = new TreeSet<>();
  boolean full = true;
  boolean storeAnswers = true;
  boolean yarnAnswers = true;
  boolean startsFail;
  long nowNs;

  static RecoverySettings settings(RecoveryModel model, int atOnce, String... temporary) {
    return new RecoverySettings(
        "test",
        model,
        new TemporaryFiles(List.of(temporary)),
        new Backoff(3, SECOND_NS, 4 * SECOND_NS),
        atOnce,
        "",
        new RecoverySettings.Waits(5 * SECOND_NS, 10 * SECOND_NS));
  }

  // ---- what a test says

  World record(long id, List<Long> inputs, Long... outputs) {
    DependencyRecord.Builder record =
        DependencyRecord.newBuilder()
            .setId(id)
            .setOwner(USER)
            .setType(DependencyType.DEPENDENCY_WIDE);
    inputs.forEach(fid -> record.addInputs(DependencyInput.newBuilder().setFid(fid)));
    for (int i = 0; i < outputs.length; i++) {
      record.addOutputs(DependencyOutput.newBuilder().setFid(outputs[i]).setIndex(i));
      makers.put(outputs[i], id);
      states.put(outputs[i], OutputState.OUTPUT_STORED);
    }
    records.put(id, record.build());
    return this;
  }

  /** A job without reduce tasks, each map of which makes one output of the input at its place. */
  World mapsOnly(long id, List<Long> inputs, Long... outputs) {
    record(id, inputs, outputs);
    MapReduceJob.Builder job = MapReduceJob.newBuilder();
    DependencyRecord.Builder record = records.get(id).toBuilder();
    for (int i = 0; i < outputs.length; i++) {
      job.addInputOfMap(i);
      record.setOutputs(i, record.getOutputs(i).toBuilder().setMap(true));
    }
    Recipe recipe = Recipe.newBuilder().setMapReduce(job).build();
    records.put(id, record.setConfig(recipe.toByteString()).build());
    return this;
  }

  void lose(Long... fids) {
    for (long fid : fids) {
      if (makers.containsKey(fid)) {
        states.put(fid, OutputState.OUTPUT_LOST);
      } else {
        unrecordedLost.add(fid);
      }
    }
  }

  void delete(long fid) {
    states.put(fid, OutputState.OUTPUT_DELETED);
  }

  void comesBack(Long... fids) {
    for (long fid : fids) {
      unrecordedLost.remove(fid);
      givenUp.remove(fid);
      states.computeIfPresent(fid, (id, state) -> OutputState.OUTPUT_STORED);
    }
  }

  boolean isStored(long fid) {
    return states.containsKey(fid)
        ? states.get(fid) == OutputState.OUTPUT_STORED
        : !unrecordedLost.contains(fid);
  }

  void wants(String application, Long... fids) {
    wantsAs(USER, application, fids);
  }

  void wantsAs(String user, String application, Long... fids) {
    for (long fid : fids) {
      waiting.computeIfAbsent(fid, id -> new LinkedHashSet<>()).add(new Waiter(application, user));
    }
  }

  void wantsNoMore() {
    waiting.clear();
  }

  /** An application besides the steps. */
  void application(String id, String queue, int priority, int containerCount) {
    others.put(
        id, new ApplicationLook(id, USER, queue, priority, containerCount, 1000L * containerCount));
  }

  List<Application> running() {
    return applications.values().stream().filter(Application::isRunning).toList();
  }

  Application running(long dependency) {
    return running().stream()
        .filter(one -> one.dependency() == dependency)
        .findFirst()
        .orElse(null);
  }

  /** The application writes its outputs, and goes on. */
  void write(Application application) {
    application
        .request
        .outputs()
        .forEach(output -> states.put(output.getFid(), OutputState.OUTPUT_STORED));
  }

  void succeed(Application application) {
    application.look = StepLook.succeeded(application.id);
  }

  void fail(Application application, String cause) {
    application.look = StepLook.failed(application.id, cause, false);
  }

  /** The process of the manager ends: nobody tracks steps any more. */
  void managerEnds() {
    tracked.clear();
  }

  // ---- RecordStore

  private void requireStore() throws IOException {
    if (!storeAnswers) {
      throw new IOException("no master answers");
    }
  }

  private DependencyRecord now(DependencyRecord record) {
    DependencyRecord.Builder now = record.toBuilder().clearOutputs();
    for (DependencyOutput output : record.getOutputsList()) {
      now.addOutputs(output.toBuilder().setState(states.get(output.getFid())));
    }
    return now.build();
  }

  @Override
  public List<LostFile> lost() throws IOException {
    requireStore();
    List<LostFile> lost = new ArrayList<>();
    states.forEach(
        (fid, state) -> {
          if (state == OutputState.OUTPUT_LOST) {
            Set<Waiter> waiters = waiting.getOrDefault(fid, Set.of());
            lost.add(
                LostFile.newBuilder()
                    .setDependency(makers.get(fid))
                    .setOutput(DependencyOutput.newBuilder().setFid(fid).setState(state))
                    .addAllWaiting(waiters.stream().map(Waiter::application).toList())
                    .addAllWaitingUsers(waiters.stream().map(Waiter::user).toList())
                    .setGivenUp(givenUp.getOrDefault(fid, ""))
                    .setPath(paths.getOrDefault(fid, "/file" + fid))
                    .build());
          }
        });
    return lost;
  }

  @Override
  public Optional<DependencyRecord> record(long id) throws IOException {
    requireStore();
    return Optional.ofNullable(records.get(id)).map(this::now);
  }

  @Override
  public Optional<DependencyRecord> maker(long fid) throws IOException {
    requireStore();
    return Optional.ofNullable(makers.get(fid)).map(records::get).map(this::now);
  }

  @Override
  public boolean isThere(long fid) throws IOException {
    requireStore();
    return !unrecordedLost.contains(fid);
  }

  @Override
  public void report(long dependency, String progress) throws IOException {
    requireStore();
    reports.put(dependency, progress);
  }

  @Override
  public void giveUp(long fid, String cause) throws IOException {
    requireStore();
    if (cause.isEmpty()) {
      givenUp.remove(fid);
    } else {
      givenUp.put(fid, cause);
    }
  }

  // ---- Steps

  @Override
  public void start(StepRequest request) {
    String id = "application_1_" + (applications.size() + 1);
    Application application = new Application(id, request);
    if (startsFail) {
      application.look = StepLook.failed("", "a program is not there any more", true);
    }
    applications.put(id, application);
    track(application.dependency(), id);
  }

  @Override
  public void adopt(StepRequest request, String application) {
    track(request.record().getId(), application);
  }

  private void track(long dependency, String application) {
    if (tracked.putIfAbsent(dependency, application) != null) {
      throw new IllegalStateException("dependency " + dependency + " is tracked already");
    }
  }

  @Override
  public Optional<StepLook> look(long dependency) {
    return Optional.ofNullable(tracked.get(dependency)).map(applications::get).map(one -> one.look);
  }

  @Override
  public void end(long dependency) {
    if (tracked.containsKey(dependency)) {
      kill(tracked.get(dependency));
    }
  }

  @Override
  public void forget(long dependency) {
    tracked.remove(dependency);
  }

  // ---- Cluster

  private void requireYarn() throws IOException {
    if (!yarnAnswers) {
      throw new IOException("the ResourceManager does not answer");
    }
  }

  @Override
  public Scheduling scheduling() {
    return scheduling;
  }

  @Override
  public Map<String, ApplicationLook> applications(Collection<String> ids) throws IOException {
    requireYarn();
    Map<String, ApplicationLook> looks = new LinkedHashMap<>();
    for (String id : ids) {
      Application step = applications.get(id);
      if (step != null && step.isRunning()) {
        int count = containers.getOrDefault(id, 3);
        int priority = priorities.getOrDefault(id, step.request.priority());
        looks.put(id, new ApplicationLook(id, USER, queue(step), priority, count, 1000L * count));
      } else if (others.containsKey(id)) {
        looks.put(id, others.get(id));
      }
    }
    return looks;
  }

  private static String queue(Application step) {
    return step.request.queue().isEmpty() ? "default" : step.request.queue();
  }

  @Override
  public Map<Long, ApplicationLook> recomputes() throws IOException {
    requireYarn();
    Map<Long, ApplicationLook> found = new HashMap<>();
    running()
        .forEach(
            one -> found.put(one.dependency(), new ApplicationLook(one.id, USER, "", 0, 1, 1)));
    found.putAll(pretenders);
    return found;
  }

  @Override
  public void setPriority(String application, int priority) throws IOException {
    requireYarn();
    priorities.put(application, priority);
  }

  @Override
  public void kill(String application) {
    Application killed = applications.get(application);
    if (killed.isRunning()) {
      killed.killed = true;
      fail(killed, "it was killed");
    }
  }

  @Override
  public boolean isFull(ApplicationLook like) {
    return full;
  }

  @Override
  public boolean isFull(String queue, ApplicationLook like) {
    return fullQueues.contains(queue);
  }

  @Override
  public int takeAway(Collection<String> from, int count) {
    taken.add(from + " " + count);
    return count;
  }
}
