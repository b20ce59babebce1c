package dev.sailfish.chaos;

import java.util.List;
import java.util.Map;

/**
 * What became of a piece of work and of the faults that met it, for {@link ChaosReport}.
 *
 * @param <T> what was struck
 */
public interface Outcome<T extends Target> {
  /** Names the work. */
  String name();

  /** What became of its faults. */
  List<Injection<T>> injections();

  /** Whether it came to a good end. */
  boolean succeeded();

  /** From its start to its end, in milliseconds. */
  long wallMs();

  /** How an injected fault was made good: one of the words that the report was made with. */
  String recovery(Injection<T> injection);

  /** What the work cost besides time, such as tasks that ran again; added up in the report. */
  Map<String, Long> costs();

  /** What must not become too high; the highest of all works is in the report. */
  Map<String, Long> heights();

  /** What else the report says of this work: strings, numbers and booleans by name. */
  Map<String, Object> details();
}
