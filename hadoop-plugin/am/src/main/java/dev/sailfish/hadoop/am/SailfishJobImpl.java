package dev.sailfish.hadoop.am;

import dev.sailfish.hadoop.SailfishJob;
import dev.sailfish.hadoop.am.report.JobListener;
import dev.sailfish.workbuilder.plan.PlanText;
import dev.sailfish.workbuilder.plan.ReducePlan;
import dev.sailfish.workbuilder.plan.ReduceWork;
import dev.sailfish.workbuilder.plan.TaskWork;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobContextImpl;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.TypeConverter;
import org.apache.hadoop.mapreduce.jobhistory.JobHistoryEvent;
import org.apache.hadoop.mapreduce.jobhistory.JobInitedEvent;
import org.apache.hadoop.mapreduce.security.token.JobTokenIdentifier;
import org.apache.hadoop.mapreduce.v2.api.records.TaskAttemptId;
import org.apache.hadoop.mapreduce.v2.api.records.TaskId;
import org.apache.hadoop.mapreduce.v2.api.records.TaskState;
import org.apache.hadoop.mapreduce.v2.api.records.TaskType;
import org.apache.hadoop.mapreduce.v2.app.commit.CommitterJobAbortEvent;
import org.apache.hadoop.mapreduce.v2.app.job.JobStateInternal;
import org.apache.hadoop.mapreduce.v2.app.job.Task;
import org.apache.hadoop.mapreduce.v2.app.job.event.JobEvent;
import org.apache.hadoop.mapreduce.v2.app.job.event.JobEventType;
import org.apache.hadoop.mapreduce.v2.app.job.event.JobTaskAttemptFetchFailureEvent;
import org.apache.hadoop.mapreduce.v2.util.MRBuilderUtils;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.yarn.event.Event;
import org.apache.hadoop.yarn.event.EventHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A job whose map output is in I-files. What is other than in stock:
 *
 * <ul>
 *   <li>In {@code auto} mode it has no reduce task until all maps are done and a plan is made; then
 *       one for each work of the plan.
 *   <li>Before it commits, what the pieces of a split partition delivered must add up to what the
 *       maps' manifests promised.
 *   <li>A map output that one reducer reports as lost is made again at once. The map attempt is
 *       killed, which counts as a failure neither of the map nor of a node.
 *   <li>Where reduce tasks read kept output of an earlier job, no map runs, until one of them
 *       reports that it cannot read it: then all do.
 *   <li>A node that fails takes no map output along: its maps do not run again.
 * </ul>
 *
 * <p>As stock's, it changes in {@link #handle} only, on the dispatcher's thread and under its write
 * lock.
 */
final class SailfishJobImpl extends NeededJobImpl {
  private static final Logger LOG = LoggerFactory.getLogger(SailfishJobImpl.class);

  private final JobParts parts;
  private final EventHandler<Event<?>> events;
  private final Planning planning;
  private final JobListener listener;
  private final int partitions;
  private JobStateInternal told;
  private boolean planned;
  private ReducePlan plan;
  private ReducePlan arrived;

  /**
   * @param planning how the plan is made; null in {@code fixed} mode
   * @param needed which tasks run
   * @param listener hears what happens to it; not closed here
   */
  @SuppressWarnings("unchecked")
  SailfishJobImpl(
      JobParts parts,
      Planning planning,
      NeededTasks needed,
      JobListener listener,
      JobStateInternal forcedState,
      String diagnostic) {
    super(parts, needed, forcedState, diagnostic);
    this.parts = parts;
    this.planning = planning;
    this.listener = listener;
    events = (EventHandler<Event<?>>) parts.events();
    partitions = conf.getNumReduceTasks();
  }

  @Override
  public void handle(JobEvent event) {
    boolean running = getInternalState() == JobStateInternal.RUNNING;
    if (event instanceof PlanMade made) {
      if (!running) {
        LOG.info("The job has no use for its plan any more");
        return;
      }
      arrived = made.plan();
    } else if (event instanceof JobTaskAttemptFetchFailureEvent lost && running) {
      lost(lost);
      return;
    } else if (event.getType() == JobEventType.JOB_COMPLETED && planned && plan == null) {
      planning.begin(this); // nothing has run before: map output is kept
      return;
    } else if (event.getType() == JobEventType.JOB_UPDATED_NODES) {
      return;
    }
    super.handle(event);
    tell(getInternalState());
  }

  /** Who hears what happens to this job. */
  JobListener listener() {
    return listener;
  }

  private void tell(JobStateInternal state) {
    if (state == told) {
      return;
    }
    told = state;
    switch (state) {
      case RUNNING -> listener.running();
      case SUCCEEDED -> listener.ended(JobListener.End.SUCCEEDED, "");
      case KILLED -> listener.ended(JobListener.End.KILLED, "");
      case FAILED, ERROR ->
          listener.ended(JobListener.End.FAILED, String.join("\n", getDiagnostics()));
      default -> {
        // On the way to one of these, or to another attempt of the ApplicationMaster.
      }
    }
  }

  private void lost(JobTaskAttemptFetchFailureEvent loss) {
    Set<TaskAttemptId> maps = new LinkedHashSet<>(loss.getMaps());
    if (maps.removeIf(map -> map.getId() == SailfishJob.NO_ATTEMPT) && runMaps()) {
      SailfishJob.tellReducesThatKeptOutputIsLost(conf);
      String why =
          "Reduce attempt %s cannot read what is kept of %s: all %d maps run"
              .formatted(loss.getReduce(), conf.get(SailfishJob.KEPT_JOB), splits());
      LOG.info("{}", why);
      addDiagnostic(why + "\n");
      listener.allMapsRunAgain(why);
    }
    runAgain(maps, "reduce attempt " + loss.getReduce() + " could not read it");
  }

  /** Makes the output of these map attempts again, if they still count. */
  void runAgain(Collection<TaskAttemptId> maps, String why) {
    LostOutput lost = new LostOutput(this::getTask, events);
    for (TaskAttemptId map : maps) {
      if (lost.withdraw(map, why)) {
        LOG.info("Map output of {} is lost and made again: {}", map, why);
        listener.mapRunsAgain(TypeConverter.fromYarn(map.getTaskId()).toString(), why);
      }
    }
  }

  /** Stock's reduce tasks, one for each partition, are not wanted where a plan makes them. */
  @Override
  protected void addTask(Task task) {
    if (task.getType() == TaskType.REDUCE && !(task instanceof WorkTask) && isPlanned()) {
      planned = needed().hasReduces();
      return;
    }
    super.addTask(task);
  }

  private boolean isPlanned() {
    return planning != null && !isUber() && splits() > 0;
  }

  @Override
  public int getTotalReduces() {
    return planned && plan == null ? partitions : super.getTotalReduces();
  }

  /** Called whenever a task has ended, and when the plan has come. */
  @Override
  protected JobStateInternal checkReadyForCommit() {
    if (!planned || getInternalState() != JobStateInternal.RUNNING) {
      return super.checkReadyForCommit();
    }
    if (plan == null) {
      if (arrived != null) {
        begin(arrived);
      } else if (getCompletedMaps() == getTotalMaps()) {
        planning.begin(this);
      }
      return JobStateInternal.RUNNING;
    }
    if (needed().isAll()
        && getCompletedMaps() == getTotalMaps()
        && getCompletedReduces() == getTotalReduces()) {
      PieceSums sums = new PieceSums(plan, mapsThatCount());
      String wrong = sums.compare(number -> getTask(reduce(number)).getCounters());
      if (wrong != null) {
        LOG.error("The job fails before its commit: {}", wrong);
        addDiagnostic(wrong);
        events.handle(new CommitterJobAbortEvent(getID(), jobContext(), JobStatus.State.FAILED));
        return JobStateInternal.FAIL_ABORT;
      }
    }
    return super.checkReadyForCommit();
  }

  /** Without those that the job goes on without. */
  private int mapsThatCount() {
    int count = 0;
    for (Task map : getTasks(TaskType.MAP).values()) {
      count += map.getState() == TaskState.FAILED ? 0 : 1;
    }
    return count;
  }

  private JobContext jobContext() {
    // Of the old API, whose context is one of the new API too.
    return new JobContextImpl(conf, TypeConverter.fromYarn(getID()));
  }

  private TaskId reduce(int number) {
    return MRBuilderUtils.newTaskId(getID(), number, TaskType.REDUCE);
  }

  /** Makes and schedules a reduce task for each work that is needed. */
  private void begin(ReducePlan made) {
    plan = made;
    String summary = PlanText.summary(made);
    LOG.info("Reduce work of {}: {}", getID(), summary);
    addDiagnostic("Reduce work: " + summary + "\n");
    LOG.info("Its plan:\n{}", PlanText.table(made));
    int works = made.works().size();
    List<ReduceWork> wanted =
        made.works().stream().filter(work -> needed().hasReduce(work.number())).toList();
    StockParts.setReduces(this, wanted.size());
    Token<JobTokenIdentifier> token = jobToken();
    Set<TaskId> reduces = new LinkedHashSet<>();
    for (ReduceWork work : wanted) {
      byte[] bytes = new TaskWork(work, works).encode();
      WorkTask task =
          new WorkTask(parts, work.number(), conf, remoteJobConfFile, token, splits(), bytes);
      addTask(task);
      reduces.add(task.getID());
    }
    // History and the web page take the last one's totals.
    events.handle(
        new JobHistoryEvent(
            getID(),
            new JobInitedEvent(
                TypeConverter.fromYarn(getID()),
                getReport().getStartTime(),
                getTotalMaps(),
                wanted.size(),
                getState().toString(),
                false)));
    scheduleTasks(reduces, true);
    listener.planMade(made);
  }

  /** The token that stock made for this job: the secret manager gives the same again. */
  private Token<JobTokenIdentifier> jobToken() {
    Text job = new Text(TypeConverter.fromYarn(getID()).toString());
    Token<JobTokenIdentifier> token = new Token<>(new JobTokenIdentifier(job), parts.secrets());
    token.setService(job);
    return token;
  }
}
