package dev.sailfish.lineage.master.namespace;

import java.util.Set;

/**
 * Who asks.
 *
 * @param groups the groups that the user is in
 * @param isSuperuser whether everything is permitted
 */
public record Caller(String user, Set<String> groups, boolean isSuperuser) {
  /** Copies the groups. */
  public Caller {
    groups = Set.copyOf(groups);
  }
}
