package dev.sailfish.workflow.step;

import java.util.OptionalLong;
import java.util.Set;

/**
 * The tags that steps have in YARN, by which a manager finds those that one before it has begun:
 * {@code sailfish-recompute-ID} with the dependency's id, and {@code sailfish-workflow-NAME} with
 * the manager's name, as several stores may share a cluster. YARN has tags in lower case.
 */
public final class RecomputeTags {
  private static final String DEPENDENCY = "sailfish-recompute-";
  private static final String MANAGER = "sailfish-workflow-";

  private RecomputeTags() {}

  /** The tags of a step. */
  public static Set<String> of(String manager, long dependency) {
    return Set.of(manager(manager), dependency(dependency));
  }

  /** The tag that the steps of a dependency have. */
  public static String dependency(long dependency) {
    return DEPENDENCY + Long.toUnsignedString(dependency);
  }

  /** The tag that all steps of a manager have. */
  public static String manager(String name) {
    return MANAGER + name;
  }

  /** The dependency of a step with these tags; empty: it is none. */
  public static OptionalLong dependency(Set<String> tags) {
    return tags.stream()
        .filter(tag -> tag.matches(DEPENDENCY + "\\d{1,18}"))
        .mapToLong(tag -> Long.parseUnsignedLong(tag.substring(DEPENDENCY.length())))
        .findFirst();
  }
}
