package dev.sailfish.workflow.yarn;

import dev.sailfish.ground.server.guard.ErrorGuard;
import dev.sailfish.workflow.recovery.StepLook;
import dev.sailfish.workflow.recovery.Steps;
import dev.sailfish.workflow.step.LostProgramException;
import dev.sailfish.workflow.step.RunningStep;
import dev.sailfish.workflow.step.StepRequest;
import dev.sailfish.workflow.step.StepRunner;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Steps of a {@link StepRunner}, which takes its time. Each is begun on a thread of its own, so
 * that one for which nobody answers holds none of the others up; if that takes too long, it has
 * failed, and an application that is accepted later is ended. What has begun is looked at every
 * second until it has ended, on threads that all share. Thread-safe.
 */
public final class BackgroundSteps implements Steps, Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(BackgroundSteps.class);
  private static final long LOOK_MS = 1_000;

  private final StepRunner runner;
  private final ScheduledExecutorService threads;
  private final Duration deadline;
  private final Map<Long, Tracked> tracked = new ConcurrentHashMap<>(); // by dependency

  /**
   * @param threads end with this
   * @param deadline how long it may take to begin a step
   */
  public BackgroundSteps(StepRunner runner, ScheduledExecutorService threads, Duration deadline) {
    this.runner = runner;
    this.threads = threads;
    this.deadline = deadline;
  }

  /** Begins or finds a step; may take some seconds. */
  private interface Beginning {
    RunningStep begin() throws IOException;
  }

  /** One step; all but {@link #seen} and {@link #isUnwanted} is for one thread at a time. */
  private static final class Tracked {
    final StepRequest request;
    final Beginning beginning;
    Thread beginner;
    RunningStep running;
    volatile StepLook seen = StepLook.starting();
    volatile boolean isUnwanted;
    private boolean hasBegun;

    Tracked(StepRequest request, Beginning beginning) {
      this.request = request;
      this.beginning = beginning;
    }

    /** What has come of the beginning; false: that was decided before. */
    synchronized boolean begin(RunningStep begun, StepLook first) {
      if (hasBegun) {
        return false;
      }
      hasBegun = true;
      running = begun;
      seen = first;
      return true;
    }

    String name() {
      return "dependency=" + request.record().getId();
    }
  }

  @Override
  public void start(StepRequest request) {
    track(new Tracked(request, () -> runner.start(request)));
  }

  @Override
  public void adopt(StepRequest request, String application) {
    track(new Tracked(request, () -> runner.adopt(request, ApplicationId.fromString(application))));
  }

  private void track(Tracked step) {
    long dependency = step.request.record().getId();
    step.beginner = new Thread(() -> begin(step), "workflow-begin-" + dependency);
    step.beginner.setDaemon(true);
    if (tracked.putIfAbsent(dependency, step) != null) {
      throw new IllegalStateException("a step of " + step.name() + " is known");
    }
    threads.schedule(
        ErrorGuard.guarded(() -> giveUp(step)), deadline.toMillis(), TimeUnit.MILLISECONDS);
    step.beginner.start();
  }

  private void begin(Tracked step) {
    RunningStep begun = null;
    StepLook first;
    try {
      if (step.isUnwanted) {
        first = StepLook.failed("", "it was not needed any more before it began", false);
      } else {
        begun = step.beginning.begin();
        first = StepLook.running(begun.application().toString(), 0);
      }
    } catch (LostProgramException e) {
      first = failed(step, e, true);
    } catch (IOException | RuntimeException e) {
      first = failed(step, e, false);
    }
    boolean isInTime = step.begin(begun, first);
    if (begun == null) {
      return;
    }
    LOG.info(
        "{} outputs={} queue={} priority={}: {}{}",
        step.name(),
        step.request.outputs().size(),
        step.request.queue(),
        step.request.priority(),
        begun.application(),
        isInTime ? "" : ", which is ended, as it began too late");
    if (isInTime) {
      goOn(step);
    } else {
      endLate(step, begun, first);
    }
  }

  /** An application that nobody counts on any more must not write what another one writes. */
  private void endLate(Tracked step, RunningStep begun, StepLook first) {
    Tracked late = new Tracked(step.request, step.beginning);
    late.begin(begun, first);
    late.isUnwanted = true;
    schedule(late, 0);
  }

  private void giveUp(Tracked step) {
    String cause =
        "it was not begun in %d s: file systems or the ResourceManager do not answer"
            .formatted(deadline.toSeconds());
    if (step.begin(null, StepLook.failed("", cause, false))) {
      LOG.warn("{} cannot be begun: {}", step.name(), cause);
      step.beginner.interrupt();
    }
  }

  private void schedule(Tracked step, long delayMs) {
    try {
      threads.schedule(ErrorGuard.guarded(() -> work(step)), delayMs, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      LOG.debug("{} began at the end, and stays as it is", step.name(), e);
    }
  }

  private void work(Tracked step) {
    try {
      look(step);
    } catch (IOException | RuntimeException e) {
      LOG.warn("{}: cannot be looked at now: {}", step.name(), e.toString());
    }
    goOn(step);
  }

  /** Has it looked at again, if that is of use. */
  private void goOn(Tracked step) {
    boolean isForgotten = tracked.get(step.request.record().getId()) != step;
    boolean isEnding = step.isUnwanted && !step.seen.state().isEnd();
    if (!step.seen.state().isEnd() && (!isForgotten || isEnding)) {
      schedule(step, LOOK_MS);
    }
  }

  private static StepLook failed(Tracked step, Exception why, boolean hopeless) {
    LOG.warn("{} cannot be begun: {}", step.name(), why.toString());
    LOG.debug("{} cannot be begun", step.name(), why);
    return StepLook.failed("", text(why), hopeless);
  }

  private static String text(Exception why) {
    return why.getMessage() == null ? why.toString() : why.getMessage();
  }

  private static void look(Tracked step) throws IOException {
    if (step.isUnwanted) {
      step.running.kill();
    }
    String application = step.running.application().toString();
    step.seen =
        switch (step.running.state()) {
          case RUNNING -> StepLook.running(application, step.running.progress());
          case SUCCEEDED -> StepLook.succeeded(application);
          case FAILED -> StepLook.failed(application, step.running.cause(), false);
        };
    if (step.seen.state().isEnd()) {
      LOG.info("{}: {} {} {}", step.name(), application, step.seen.state(), step.seen.cause());
    }
  }

  @Override
  public Optional<StepLook> look(long dependency) {
    return Optional.ofNullable(tracked.get(dependency)).map(step -> step.seen);
  }

  @Override
  public void end(long dependency) {
    Tracked step = tracked.get(dependency);
    if (step != null) {
      step.isUnwanted = true;
    }
  }

  @Override
  public void forget(long dependency) {
    tracked.remove(dependency);
  }

  /** Forgets all; applications stay as they are. */
  @Override
  public void close() {
    threads.shutdownNow();
    tracked.values().forEach(step -> step.beginner.interrupt());
    tracked.clear();
  }
}
