package dev.sailfish.metaserver.yarn;

import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.wire.Clock;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.message.Introduction;
import dev.sailfish.metaserver.rpc.Admission;
import dev.sailfish.metaserver.rpc.Admissions;
import java.io.IOException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Admits jobs on the ResourceManager's word: the application of that name is alive. What it said is
 * good for a moment, so that the tasks of one job that come together are one question. Used by one
 * thread.
 */
public final class ApplicationAdmission implements Admission {
  private static final long GOOD_NS = TimeUnit.SECONDS.toNanos(3);
  private static final int MOST_ANSWERS = 1000;
  private static final int MAX_USER_CHARS = 255;

  /** An answer, or what kept it off. */
  private record Answer(ApplicationStates.Application application, String failure, long atNs) {}

  private final ApplicationStates states;
  private final Clock clock;
  private final Map<String, Answer> answers = new LinkedHashMap<>();
  private Answer lastFailure;

  /**
   * @param clock of how old an answer is
   */
  public ApplicationAdmission(ApplicationStates states, Clock clock) {
    this.states = states;
    this.clock = clock;
  }

  @Override
  public Admitted admit(String job, Introduction introduction) throws RequestRefusedException {
    String name = ApplicationWatcher.application(job);
    if (name == null) {
      throw Admissions.notAdmitted(job, "it has not the name of a YARN application's job");
    }
    Answer answer = answer(name);
    if (answer.failure() != null) {
      throw new RequestRefusedException(
          Status.BUSY,
          ("the ResourceManager cannot be asked for %s, so that job=%s cannot be admitted now:"
                  + " %s")
              .formatted(name, job, answer.failure()));
    }
    String user = answer.application().user();
    switch (answer.application().life()) {
      case ENDED -> throw Admissions.notAdmitted(job, name + " has ended");
      case UNKNOWN ->
          throw Admissions.notAdmitted(job, "the ResourceManager does not know " + name);
      default -> {
        if (user.isEmpty() || user.length() > MAX_USER_CHARS) {
          throw Admissions.notAdmitted(
              job, "the ResourceManager does not say whose " + name + " is");
        }
      }
    }
    return new Admitted(user, true);
  }

  private Answer answer(String application) {
    long now = clock.nanoTime();
    if (isGood(lastFailure, now)) {
      return lastFailure;
    }
    Iterator<Answer> oldest = answers.values().iterator();
    while (oldest.hasNext() && (!isGood(oldest.next(), now) || answers.size() >= MOST_ANSWERS)) {
      oldest.remove();
    }
    Answer known = answers.get(application);
    if (known != null) {
      return known;
    }
    try {
      ApplicationStates.Application told = states.of(application);
      return keep(application, new Answer(told, null, clock.nanoTime()));
    } catch (ApplicationStates.OddAnswerException e) {
      return keep(application, new Answer(null, e.getMessage(), clock.nanoTime()));
    } catch (IOException e) {
      lastFailure = new Answer(null, e.toString(), clock.nanoTime());
      return lastFailure;
    }
  }

  private Answer keep(String application, Answer answer) {
    answers.put(application, answer);
    return answer;
  }

  private static boolean isGood(Answer answer, long now) {
    // What failed is soon tried again.
    return answer != null
        && now - answer.atNs() < (answer.failure() == null ? GOOD_NS : GOOD_NS / 3);
  }
}
