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
  private static final String NOBODYS = "job_0_0000";

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
  private final String oddAnswer;
  private final StandingWarnings warnings;
  private final ScheduledExecutorService executor;
  private int idleRounds = PROBE_ROUNDS;

  private ApplicationWatcher(
      ApplicationStates states, Watched watched, List<URI> managers, StandingWarnings warnings) {
    this.states = states;
    this.watched = watched;
    this.warnings = warnings;
    String place =
        "is %s=%s right?"
            .formatted(
                MetaserverKey.RESOURCEMANAGER.name(),
                managers.stream().map(URI::toString).collect(Collectors.joining(",")));
    this.outOfReach =
        "the ResourceManager does not answer; ended jobs are deleted only when their lease runs"
            + " out, until it does: does it run, and "
            + place;
    this.oddAnswer =
        "the ResourceManager does not say what becomes of an application, whose job is deleted"
            + " only when its lease runs out; if it is so with all: "
            + place;
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

  /**
   * One look at all jobs; ends at the first one for which nobody answers. When there is an answer
   * that says nothing of its application, it is the next one's turn.
   */
  private void round() {
    idleRounds++;
    try {
      String odd = null;
      for (String job : watched.jobs()) {
        String detail = look(job);
        odd = odd == null ? detail : odd;
      }
      if (idleRounds >= PROBE_ROUNDS) {
        odd = look(NOBODYS);
      }
      if (odd != null) {
        warnings.raise(TOPIC, oddAnswer, odd);
      } else if (idleRounds == 0) {
        warnings.clear(TOPIC);
      }
    } catch (IOException e) {
      warnings.raise(TOPIC, outOfReach, e.toString());
      idleRounds = PROBE_ROUNDS;
    } catch (RuntimeException e) {
      LOG.error("watching applications failed, and goes on", e);
    }
  }

  /** Returns what is odd about the answer, or null. */
  private String look(String job) throws IOException {
    String application = application(job);
    if (application == null) {
      return null;
    }
    idleRounds = 0;
    ApplicationStates.Life life;
    try {
      life = states.of(application).life();
    } catch (ApplicationStates.OddAnswerException e) {
      LOG.debug("nothing is known of {}", application, e);
      return e.getMessage();
    }
    switch (life) {
      case ALIVE -> watched.alive(job);
      case ENDED -> watched.ended(job, application);
      case UNKNOWN -> LOG.debug("the ResourceManager does not know {}", application);
      default -> throw new IllegalStateException("life=" + life);
    }
    return null;
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }
}
