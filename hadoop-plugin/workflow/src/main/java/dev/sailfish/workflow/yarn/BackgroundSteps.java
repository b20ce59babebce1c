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
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Steps of a {@link StepRunner}, which takes its time, on threads of their own: a step is begun
 * there, then looked at every second until it has ended. Thread-safe.
 */
public final class BackgroundSteps implements Steps, Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(BackgroundSteps.class);
  private static final long LOOK_MS = 1_000;

  private final StepRunner runner;
  private final ScheduledExecutorService threads;
  private final Map<Long, Tracked> tracked = new ConcurrentHashMap<>(); // by dependency

  /**
   * @param threads end with this
   */
  public BackgroundSteps(StepRunner runner, ScheduledExecutorService threads) {
    this.runner = runner;
    this.threads = threads;
  }

  /** Begins or finds a step; may take some seconds. */
  private interface Beginning {
    RunningStep begin() throws IOException;
  }

  /** One step; all but {@link #seen} and {@link #isUnwanted} is for one thread at a time. */
  private static final class Tracked {
    final StepRequest request;
    final Beginning beginning;
    RunningStep running;
    volatile StepLook seen = StepLook.starting();
    volatile boolean isUnwanted;

    Tracked(StepRequest request, Beginning beginning) {
      this.request = request;
      this.beginning = beginning;
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
    if (tracked.putIfAbsent(step.request.record().getId(), step) != null) {
      throw new IllegalStateException("a step of " + step.name() + " is known");
    }
    schedule(step, 0);
  }

  private void schedule(Tracked step, long delayMs) {
    threads.schedule(ErrorGuard.guarded(() -> work(step)), delayMs, TimeUnit.MILLISECONDS);
  }

  private void work(Tracked step) {
    try {
      if (step.running == null) {
        begin(step);
      } else {
        look(step);
      }
    } catch (IOException | RuntimeException e) {
      LOG.warn("{}: cannot be looked at now: {}", step.name(), e.toString());
    }
    boolean isForgotten = tracked.get(step.request.record().getId()) != step;
    boolean isEnding = step.isUnwanted && !step.seen.state().isEnd();
    if (!step.seen.state().isEnd() && (!isForgotten || isEnding)) {
      schedule(step, LOOK_MS);
    }
  }

  private static void begin(Tracked step) {
    if (step.isUnwanted) {
      step.seen = StepLook.failed("", "it was not needed any more before it began", false);
      return;
    }
    try {
      step.running = step.beginning.begin();
      step.seen = StepLook.running(step.running.application().toString(), 0);
      LOG.info(
          "{} outputs={} queue={} priority={}: {}",
          step.name(),
          step.request.outputs().size(),
          step.request.queue(),
          step.request.priority(),
          step.running.application());
    } catch (LostProgramException e) {
      fail(step, e, true);
    } catch (IOException | RuntimeException e) {
      fail(step, e, false);
    }
  }

  private static void fail(Tracked step, Exception why, boolean hopeless) {
    LOG.warn("{} cannot be begun: {}", step.name(), why.toString());
    LOG.debug("{} cannot be begun", step.name(), why);
    step.seen = StepLook.failed("", text(why), hopeless);
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
    tracked.clear();
    threads.shutdownNow();
  }
}
