package dev.sailfish.system.yarn.chaos;

import dev.sailfish.chaos.Injection;
import dev.sailfish.chaos.Outcome;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * What became of a job.
 *
 * @param plan the job and its faults
 * @param injections what became of the faults
 * @param succeeded whether the client said so
 * @param difference to stock's output; empty when there is none, or no output
 * @param wallMs from the client's start to its end
 * @param attempts all that history knows of
 * @param diagnostics what client, ResourceManager and history say
 * @param resent blocks that chunkservers got twice or in part
 */
record JobResult(
    JobPlan plan,
    List<Injection<ChaosCluster>> injections,
    boolean succeeded,
    Optional<String> difference,
    long wallMs,
    List<EndedAttempt> attempts,
    String diagnostics,
    long resent)
    implements Outcome<ChaosCluster> {

  /** How a fault was made good. */
  enum Recovery {
    /** Map output was lost, reported, and the maps ran again. */
    FETCH_FAILURE,
    /** Attempts that had not ended ran again. */
    ATTEMPT_RERUN,
    /** Blocks were sent again. */
    RESENT,
    /** Nothing was to be done. */
    NOTHING_NEEDED,
    /** It was not: the job failed, and said why. */
    JOB_FAILED;

    private String column() {
      return name().toLowerCase(Locale.ROOT);
    }

    /** The columns of the report. */
    static List<String> columns() {
      return Arrays.stream(values()).map(Recovery::column).toList();
    }
  }

  JobResult {
    injections = List.copyOf(injections);
    attempts = List.copyOf(attempts);
  }

  long count(Predicate<EndedAttempt> wanted) {
    return attempts.stream().filter(wanted).count();
  }

  /** Map attempts beyond one for each map. */
  long mapsAgain() {
    return again(true);
  }

  /** Reduce attempts beyond one for each reduce. */
  long reducesAgain() {
    return again(false);
  }

  private long again(boolean map) {
    long tasks =
        attempts.stream()
            .filter(attempt -> attempt.isMap() == map)
            .map(EndedAttempt::task)
            .distinct()
            .count();
    return count(attempt -> attempt.isMap() == map) - tasks;
  }

  /**
   * The highest attempt that a task needed, in stock's count: one more than attempts that failed,
   * lost output included. A task that fails as often as {@code maxattempts} says (4) ends its job.
   *
   * @param map whether of the maps or of the reduces
   */
  int highestAttempt(boolean map) {
    Map<String, Integer> failed = new HashMap<>();
    for (EndedAttempt attempt : attempts) {
      if (attempt.isMap() == map && attempt.failed()) {
        failed.merge(attempt.task(), 1, Integer::sum);
      }
    }
    return 1 + failed.values().stream().mapToInt(Integer::intValue).max().orElse(0);
  }

  @Override
  public String name() {
    return plan.name();
  }

  @Override
  public String recovery(Injection<ChaosCluster> injection) {
    return recoveryFrom(injection).column();
  }

  @Override
  public Map<String, Long> costs() {
    Map<String, Long> costs = new LinkedHashMap<>();
    costs.put("maps_again", mapsAgain());
    costs.put("reduces_again", reducesAgain());
    return costs;
  }

  @Override
  public Map<String, Long> heights() {
    Map<String, Long> heights = new LinkedHashMap<>();
    heights.put("highest_map_attempt", (long) highestAttempt(true));
    heights.put("highest_reduce_attempt", (long) highestAttempt(false));
    return heights;
  }

  @Override
  public Map<String, Object> details() {
    Map<String, Object> details = new LinkedHashMap<>();
    details.put("spec", plan.spec().toString());
    details.put("correct", succeeded && difference.isEmpty());
    details.put("maps_lost", count(EndedAttempt::outputWasLost));
    details.put("resent", resent);
    return details;
  }

  /**
   * How the job went on after a fault. When several faults met it, the most costly way that this
   * one may need counts; attempts that were killed on purpose count for their killers only.
   */
  private Recovery recoveryFrom(Injection<ChaosCluster> injection) {
    JobFault kind = (JobFault) injection.fault().kind();
    if (!succeeded) {
      return Recovery.JOB_FAILED;
    }
    if (kind == JobFault.KILL_AM) {
      return Recovery.ATTEMPT_RERUN;
    }
    if (!kind.mayLoseChunks()) {
      boolean hit = attempts.stream().anyMatch(one -> one.isRerun() && isTarget(injection, one));
      return hit ? Recovery.ATTEMPT_RERUN : Recovery.NOTHING_NEEDED;
    }
    if (count(EndedAttempt::outputWasLost) > 0) {
      return Recovery.FETCH_FAILURE;
    }
    if (count(one -> one.isRerun() && !one.isOfSecondMaster() && !wasTarget(one)) > 0) {
      return Recovery.ATTEMPT_RERUN;
    }
    return resent > 0 ? Recovery.RESENT : Recovery.NOTHING_NEEDED;
  }

  private boolean wasTarget(EndedAttempt attempt) {
    return injections.stream()
        .anyMatch(
            one -> !((JobFault) one.fault().kind()).mayLoseChunks() && isTarget(one, attempt));
  }

  private static boolean isTarget(Injection<ChaosCluster> injection, EndedAttempt attempt) {
    return injection.target().map(text -> text.contains(attempt.id())).orElse(false);
  }

  /** What must not be; empty when all is as promised. */
  Optional<String> problem() {
    if (difference.isPresent()) {
      return Optional.of("wrong output: " + difference.get());
    }
    boolean allowed =
        injections.stream()
            .filter(Injection::injected)
            .anyMatch(one -> one.fault().kind().expectation().allowsFailure(diagnostics));
    return succeeded || allowed ? Optional.empty() : Optional.of("the job failed: " + diagnostics);
  }
}
