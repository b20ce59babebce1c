package dev.sailfish.metaserver.yarn;

import dev.sailfish.ground.server.guard.GuardedTimer;
import dev.sailfish.ground.server.guard.StandingWarnings;
import dev.sailfish.metaserver.MetaserverKey;
import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks for the applications of live jobs, every second, on a thread of its own. A job whose
 * application has ended is deleted, also when its ApplicationMaster was killed before it could say
 * so; one whose application is alive keeps its lease, also while its tasks wait for containers.
 * When there is no answer, nothing happens but a warning: leases decide then. While there are no
 * jobs, it asks now and then for an application that nobody has, so that an address that is wrong
 * is noticed before the first job.
 */
public final class ApplicationWatcher implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(ApplicationWatcher.class);
  private static final Pattern JOB = Pattern.compile("job_(\\d+_\\d+)(~[0-9a-f]{8})?");
  private static final long PERIOD_MS = 1000;
  private static final String TOPIC = "resourcemanager";
  private static final String NOBODYS = "application_0_0000";

  /** Rounds without a question of a job, after which one is asked for nobody's. */
  private static final int PROBE_ROUNDS = 10;

  /** The jobs that are watched, and what happens to them. Called by the watcher's thread. */
  public interface Watched {
    /** Names of all live jobs. */
    List<String> jobs();

    /** The job's application is alive. */
    void alive(String job);

    /** The job's application has ended. */
    void ended(String job, String application);
  }

  private final ApplicationStates states;
  private final Watched watched;
  private final String outOfReach;
  private final StandingWarnings warnings;
  private final ScheduledExecutorService executor;
  private int idleRounds = PROBE_ROUNDS;

  private ApplicationWatcher(
      ApplicationStates states, Watched watched, List<URI> managers, StandingWarnings warnings) {
    this.states = states;
    this.watched = watched;
    this.warnings = warnings;
    this.outOfReach =
        ("the ResourceManager does not answer; ended jobs are deleted only when their lease runs"
                + " out, until it does: does it run, and is %s=%s right?")
            .formatted(
                MetaserverKey.RESOURCEMANAGER.name(),
                managers.stream().map(URI::toString).collect(Collectors.joining(",")));
    this.executor = new GuardedTimer("metaserver-applications");
  }

  /**
   * Starts to watch.
   *
   * @param managers what is asked, for the warning when nobody answers
   */
  public static ApplicationWatcher start(
      ApplicationStates states, Watched watched, List<URI> managers, StandingWarnings warnings) {
    ApplicationWatcher watcher = new ApplicationWatcher(states, watched, managers, warnings);
    watcher.executor.scheduleWithFixedDelay(watcher::round, 0, PERIOD_MS, TimeUnit.MILLISECONDS);
    return watcher;
  }

  /** The application of a job's name or id, or null when it is none of an application. */
  static String application(String job) {
    Matcher matcher = JOB.matcher(job);
    return matcher.matches() ? "application_" + matcher.group(1) : null;
  }

  /** One look at all jobs; ends at the first one for which there is no answer. */
  private void round() {
    idleRounds++;
    try {
      for (String job : watched.jobs()) {
        String application = application(job);
        if (application != null) {
          look(job, application);
        }
      }
      if (idleRounds >= PROBE_ROUNDS) {
        ask(NOBODYS);
      }
    } catch (IOException e) {
      warnings.raise(TOPIC, outOfReach, e.toString());
      idleRounds = PROBE_ROUNDS;
    } catch (RuntimeException e) {
      LOG.error("watching applications failed, and goes on", e);
    }
  }

  private void look(String job, String application) throws IOException {
    ApplicationStates.Life life = ask(application);
    switch (life) {
      case ALIVE -> watched.alive(job);
      case ENDED -> watched.ended(job, application);
      case UNKNOWN -> LOG.debug("the ResourceManager does not know {}", application);
      default -> throw new IllegalStateException("life=" + life);
    }
  }

  private ApplicationStates.Life ask(String application) throws IOException {
    idleRounds = 0;
    ApplicationStates.Life life = states.of(application).life();
    warnings.clear(TOPIC);
    return life;
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }
}
