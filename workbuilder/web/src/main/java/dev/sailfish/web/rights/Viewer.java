package dev.sailfish.web.rights;

import java.util.Set;

/**
 * Who asks. Immutable.
 *
 * @param user his short name; empty for one who has none, and then sees everything
 * @param everything whether nothing is hidden: an administrator, who bears the token, or anyone
 *     where nobody is asked who he is
 */
public record Viewer(String user, Set<String> groups, boolean everything) {
  /** Sees everything, without a name. */
  public static final Viewer ALL = new Viewer("", Set.of(), true);

  /**
   * Checks that one without a name is not taken for the owner of a job without one.
   *
   * @throws IllegalArgumentException when he has no name and does not see everything
   */
  public Viewer {
    groups = Set.copyOf(groups);
    if (user.isEmpty() && !everything) {
      throw new IllegalArgumentException("who does not see everything has a name");
    }
  }
}
