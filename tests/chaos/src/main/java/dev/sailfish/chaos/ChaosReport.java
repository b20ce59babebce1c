package dev.sailfish.chaos;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;

/**
 * What a run has shown: a line for each kind of fault, for people and as JSON. Not thread-safe.
 *
 * @param <T> what was struck
 */
public final class ChaosReport<T extends Target> {
  private static final double MS_PER_SECOND = 1_000;

  private final long seed;
  private final List<String> recoveries;
  private final List<Outcome<T>> outcomes = new ArrayList<>();

  /**
   * An empty report.
   *
   * @param seed what the run was drawn from
   * @param recoveries the ways in which a fault may be made good, in the order of the columns
   */
  public ChaosReport(long seed, List<String> recoveries) {
    this.seed = seed;
    this.recoveries = List.copyOf(recoveries);
  }

  /** Takes in what became of a piece of work. */
  public void add(Outcome<T> outcome) {
    outcomes.add(outcome);
  }

  /** Kinds that were planned so far and found nothing to hit each time. */
  public Set<FaultKind<T>> neverStruck() {
    Set<FaultKind<T>> never = new LinkedHashSet<>();
    for (Line line : lines()) {
      if (line.injected == 0) {
        never.add(line.kind);
      }
    }
    return never;
  }

  /** The time of the work without faults, if there was one. */
  private OptionalLong calmMs() {
    return outcomes.stream()
        .filter(outcome -> outcome.injections().isEmpty())
        .mapToLong(Outcome::wallMs)
        .findFirst();
  }

  private Map<String, Long> heights() {
    Map<String, Long> highest = new LinkedHashMap<>();
    outcomes.forEach(
        one -> one.heights().forEach((name, at) -> highest.merge(name, at, Math::max)));
    return highest;
  }

  /** One kind of fault over all works. */
  private final class Line {
    private final FaultKind<T> kind;
    private final Map<String, Long> recovered = new LinkedHashMap<>();
    private final Map<String, Long> costs = new LinkedHashMap<>();
    private int planned;
    private int injected;
    private int works;
    private long lostMs;

    Line(FaultKind<T> kind) {
      this.kind = kind;
      recoveries.forEach(how -> recovered.put(how, 0L));
      outcomes.forEach(outcome -> outcome.costs().keySet().forEach(name -> costs.put(name, 0L)));
      outcomes.forEach(this::add);
    }

    private void add(Outcome<T> outcome) {
      List<Injection<T>> ours =
          outcome.injections().stream().filter(one -> one.fault().kind() == kind).toList();
      List<Injection<T>> struck = ours.stream().filter(Injection::injected).toList();
      planned += ours.size();
      injected += struck.size();
      if (!struck.isEmpty()) {
        works++;
        outcome.costs().forEach((name, cost) -> costs.merge(name, cost, Long::sum));
        lostMs += calmMs().isPresent() ? outcome.wallMs() - calmMs().getAsLong() : 0;
        struck.forEach(one -> recovered.merge(outcome.recovery(one), 1L, Long::sum));
      }
    }

    /** All figures by name, in the order of the columns. */
    Map<String, Object> figures() {
      Map<String, Object> figures = new LinkedHashMap<>();
      figures.put("planned", planned);
      figures.put("injected", injected);
      figures.put("jobs", works);
      figures.putAll(recovered);
      figures.putAll(costs);
      // The mean over the works that this kind has met, other faults in them included.
      figures.put(
          "seconds_lost_per_job",
          works == 0 || calmMs().isEmpty()
              ? "-"
              : "%.1f".formatted(lostMs / MS_PER_SECOND / works));
      return figures;
    }
  }

  private List<Line> lines() {
    Map<String, FaultKind<T>> kinds = new TreeMap<>();
    for (Outcome<T> outcome : outcomes) {
      outcome.injections().forEach(one -> kinds.put(one.fault().kind().name(), one.fault().kind()));
    }
    return kinds.values().stream().map(Line::new).toList();
  }

  private static String row(String name, Iterable<?> cells, List<String> columns) {
    StringBuilder row = new StringBuilder("%-28s".formatted(name));
    int column = 0;
    for (Object cell : cells) {
      int width = Math.max(8, columns.get(column++).length() + 1);
      row.append(("%" + width + "s").formatted(cell));
    }
    return row.append(System.lineSeparator()).toString();
  }

  /** The table, and a line with the sums. */
  public String text() {
    StringBuilder text = new StringBuilder();
    for (Line line : lines()) {
      Map<String, Object> figures = line.figures();
      List<String> columns = List.copyOf(figures.keySet());
      if (text.isEmpty()) {
        text.append(row("fault", columns, columns));
      }
      text.append(row(line.kind.name(), figures.values(), columns));
    }
    text.append("seed=").append(seed);
    text.append(" jobs=").append(outcomes.size());
    text.append(" succeeded=").append(outcomes.stream().filter(Outcome::succeeded).count());
    text.append(" injected=").append(lines().stream().mapToInt(line -> line.injected).sum());
    heights().forEach((name, at) -> text.append(' ').append(name).append('=').append(at));
    calmMs().ifPresent(ms -> text.append(" without_faults_ms=").append(ms));
    return text.toString();
  }

  /** Writes the table and each work with its faults. */
  public void write(Path file) throws IOException {
    Map<String, Object> root = new LinkedHashMap<>();
    root.put("seed", seed);
    calmMs().ifPresent(ms -> root.put("without_faults_ms", ms));
    root.putAll(heights());
    List<Map<String, Object>> kinds = new ArrayList<>();
    for (Line line : lines()) {
      Map<String, Object> kind = new LinkedHashMap<>();
      kind.put("kind", line.kind.name());
      kind.put("expected", line.kind.expectation().name());
      kind.putAll(line.figures());
      kinds.add(kind);
    }
    root.put("kinds", kinds);
    root.put("jobs", outcomes.stream().map(ChaosReport::describe).toList());
    new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValue(file.toFile(), root);
  }

  private static <T extends Target> Map<String, Object> describe(Outcome<T> outcome) {
    Map<String, Object> job = new LinkedHashMap<>();
    job.put("name", outcome.name());
    job.put("succeeded", outcome.succeeded());
    job.put("wall_ms", outcome.wallMs());
    job.putAll(outcome.details());
    job.putAll(outcome.costs());
    job.putAll(outcome.heights());
    job.put("faults", outcome.injections().stream().map(Injection::toString).toList());
    return job;
  }
}
