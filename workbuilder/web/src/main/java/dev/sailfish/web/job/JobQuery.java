package dev.sailfish.web.job;

import java.util.Comparator;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/**
 * Which jobs are asked for, and in which order. An empty text asks for all.
 *
 * @param text part of id, name or user, in any case
 * @param sort one of {@link #SORTS}, with a minus before it for the other direction
 * @param page from 0
 * @param size in 1..{@link #MOST}
 */
public record JobQuery(
    String text,
    String state,
    String user,
    String queue,
    String mode,
    String level,
    String sort,
    int page,
    int size) {
  /** Most jobs of one page. */
  public static final int MOST = 1000;

  private static final Map<String, Function<JobRow, Comparable<?>>> KEYS =
      Map.of(
          "submitted", JobQuery::began,
          "name", JobRow::name,
          "user", JobRow::user,
          "queue", JobRow::queue,
          "state", JobRow::state,
          "appended", JobRow::appendedBytes,
          "duration", JobQuery::duration,
          "level", JobQuery::severity);

  /** By what jobs can be sorted. */
  public static final String SORTS =
      "submitted, name, user, queue, state, appended, duration, level";

  /**
   * Checks what has a range.
   *
   * @throws IllegalArgumentException naming the parameter that is wrong, and what is right
   */
  public JobQuery {
    if (page < 0 || size < 1 || size > MOST) {
      throw new IllegalArgumentException(
          "page=" + page + " must not be below 0, and size=" + size + " in 1.." + MOST);
    }
    if (!KEYS.containsKey(unsigned(sort))) {
      throw new IllegalArgumentException(
          "sort=" + sort + " must be one of " + SORTS + ", with a minus before it or not");
    }
  }

  private static String unsigned(String sort) {
    return sort.startsWith("-") ? sort.substring(1) : sort;
  }

  /** Whether a job is one of them. */
  boolean matches(JobRow row) {
    return is(state, row.state())
        && is(user, row.user())
        && is(queue, row.queue())
        && is(mode, row.mode())
        && is(level, row.level())
        && (text.isEmpty() || has(row.id()) || has(row.name()) || has(row.user()));
  }

  private static boolean is(String wanted, String value) {
    return wanted.isEmpty() || wanted.equals(value);
  }

  private boolean has(String value) {
    return value.toLowerCase(Locale.ROOT).contains(text.toLowerCase(Locale.ROOT));
  }

  /** Their order; ids decide between equals, the newer first. */
  Comparator<JobRow> order() {
    Function<JobRow, Comparable<?>> key = KEYS.get(unsigned(sort));
    Comparator<JobRow> order = (one, other) -> compare(key.apply(one), key.apply(other));
    return (sort.startsWith("-") ? order.reversed() : order)
        .thenComparing(Comparator.comparing(JobRow::id).reversed());
  }

  /** What is not known is less than anything. */
  @SuppressWarnings("unchecked")
  private static int compare(Comparable<?> one, Comparable<?> other) {
    if (one == null || other == null) {
      return one == other ? 0 : one == null ? -1 : 1;
    }
    return ((Comparable<Object>) one).compareTo(other);
  }

  private static Long began(JobRow row) {
    Long submitted = row.submittedMs();
    return submitted != null
        ? submitted
        : row.startedMs() != null ? row.startedMs() : row.finishedMs();
  }

  private static Long duration(JobRow row) {
    Long from = row.startedMs();
    Long to = row.finishedMs() != null ? row.finishedMs() : row.heardMs();
    return from == null || to == null ? null : (Long) (to - from);
  }

  private static Integer severity(JobRow row) {
    return switch (row.level()) {
      case "bad" -> 2;
      case "watch" -> 1;
      default -> 0;
    };
  }
}
