package dev.sailfish.system.chaos;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sailfish.system.chaos.JobResult.Recovery;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/** What a run has shown: a line for each kind of fault, for people and as JSON. */
final class ChaosReport {
  private static final double MS_PER_SECOND = 1_000;

  private final ChaosPlan plan;
  private final List<JobResult> results = new ArrayList<>();

  ChaosReport(ChaosPlan plan) {
    this.plan = plan;
  }

  void add(JobResult result) {
    results.add(result);
  }

  /** Faults that struck. */
  long injected() {
    return results.stream()
        .flatMap(result -> result.injections().stream())
        .filter(Injection::injected)
        .count();
  }

  /** Kinds that were planned in the jobs so far and found nothing to hit each time. */
  Set<FaultKind> neverStruck() {
    Set<FaultKind> never = EnumSet.noneOf(FaultKind.class);
    for (Line line : lines()) {
      if (line.injected == 0) {
        never.add(line.kind);
      }
    }
    return never;
  }

  private int highestAttempt(boolean map) {
    return results.stream().mapToInt(result -> result.highestAttempt(map)).max().orElse(0);
  }

  /** The time of the job without faults, if there was one. */
  private OptionalLong calmMs() {
    return results.stream()
        .filter(result -> result.plan().faults().isEmpty())
        .mapToLong(JobResult::wallMs)
        .findFirst();
  }

  /** One kind of fault over all jobs. */
  private final class Line {
    private final FaultKind kind;
    private final Map<Recovery, Integer> recoveries = new EnumMap<>(Recovery.class);
    private int planned;
    private int injected;
    private int jobs;
    private long mapsAgain;
    private long reducesAgain;
    private long lostMs;

    Line(FaultKind kind) {
      this.kind = kind;
      results.forEach(this::add);
    }

    private void add(JobResult result) {
      List<Injection> ours =
          result.injections().stream().filter(one -> one.fault().kind() == kind).toList();
      int struck = (int) ours.stream().filter(Injection::injected).count();
      planned += ours.size();
      injected += struck;
      if (struck > 0) {
        jobs++;
        mapsAgain += result.mapsAgain();
        reducesAgain += result.reducesAgain();
        lostMs += calmMs().isPresent() ? result.wallMs() - calmMs().getAsLong() : 0;
        ours.stream()
            .filter(Injection::injected)
            .forEach(one -> recoveries.merge(result.recovery(one), 1, Integer::sum));
      }
    }

    /** Mean over the jobs that this kind has met, other faults in them included. */
    String lostSeconds() {
      return jobs == 0 || calmMs().isEmpty()
          ? "-"
          : "%.1f".formatted(lostMs / MS_PER_SECOND / jobs);
    }

    int recovered(Recovery how) {
      return recoveries.getOrDefault(how, 0);
    }

    String text() {
      return "%-28s %7d %8d %4d %7d %7d %7d %7d %7d %7d %7d %8s"
          .formatted(
              kind,
              planned,
              injected,
              jobs,
              recovered(Recovery.ATTEMPT_RERUN),
              recovered(Recovery.FETCH_FAILURE),
              recovered(Recovery.RESENT),
              recovered(Recovery.NOTHING_NEEDED),
              recovered(Recovery.JOB_FAILED),
              mapsAgain,
              reducesAgain,
              lostSeconds());
    }

    ObjectNode json(ObjectMapper mapper) {
      ObjectNode node = mapper.createObjectNode();
      node.put("kind", kind.name());
      node.put("expected", kind.expectation().name());
      node.put("planned", planned);
      node.put("injected", injected);
      node.put("jobs", jobs);
      for (Recovery how : Recovery.values()) {
        node.put(how.name().toLowerCase(Locale.ROOT), recovered(how));
      }
      node.put("maps_again", mapsAgain);
      node.put("reduces_again", reducesAgain);
      node.put("seconds_lost_per_job", lostSeconds());
      return node;
    }
  }

  private List<Line> lines() {
    List<Line> lines = new ArrayList<>();
    for (FaultKind kind : FaultKind.values()) {
      Line line = new Line(kind);
      if (line.planned > 0) {
        lines.add(line);
      }
    }
    return lines;
  }

  /** The table. */
  String text() {
    StringBuilder text = new StringBuilder();
    text.append(
        "%-28s %7s %8s %4s %7s %7s %7s %7s %7s %7s %7s %8s%n"
            .formatted(
                "fault",
                "planned",
                "injected",
                "jobs",
                "rerun",
                "fetch",
                "resent",
                "nothing",
                "failed",
                "maps+",
                "reduce+",
                "s lost"));
    lines().forEach(line -> text.append(line.text()).append(System.lineSeparator()));
    text.append("seed=").append(plan.seed());
    text.append(" jobs=").append(results.size());
    text.append(" succeeded=").append(results.stream().filter(JobResult::succeeded).count());
    text.append(" injected=").append(injected());
    text.append(" highest_map_attempt=").append(highestAttempt(true));
    text.append(" highest_reduce_attempt=").append(highestAttempt(false));
    calmMs().ifPresent(ms -> text.append(" without_faults_ms=").append(ms));
    return text.toString();
  }

  /** Writes the table and each job with its faults. */
  void write(Path file) throws IOException {
    ObjectMapper mapper = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
    ObjectNode root = mapper.createObjectNode();
    root.put("seed", plan.seed());
    calmMs().ifPresent(ms -> root.put("without_faults_ms", ms));
    root.put("highest_map_attempt", highestAttempt(true));
    root.put("highest_reduce_attempt", highestAttempt(false));
    ArrayNode kinds = root.putArray("kinds");
    lines().forEach(line -> kinds.add(line.json(mapper)));
    ArrayNode jobs = root.putArray("jobs");
    for (JobResult result : results) {
      ObjectNode job = jobs.addObject();
      job.put("name", result.plan().name());
      job.put("spec", result.plan().spec().toString());
      job.put("succeeded", result.succeeded());
      job.put("correct", result.succeeded() && result.difference().isEmpty());
      job.put("wall_ms", result.wallMs());
      job.put("maps_again", result.mapsAgain());
      job.put("maps_lost", result.count(EndedAttempt::outputWasLost));
      job.put("reduces_again", result.reducesAgain());
      job.put("highest_map_attempt", result.highestAttempt(true));
      job.put("highest_reduce_attempt", result.highestAttempt(false));
      job.put("resent", result.resent());
      ArrayNode faults = job.putArray("faults");
      result.injections().forEach(one -> faults.add(one.toString()));
    }
    mapper.writeValue(file.toFile(), root);
  }
}
