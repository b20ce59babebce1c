package dev.sailfish.web.rights;

import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Users and groups, in the form of Hadoop's access control lists. Immutable.
 *
 * @param all whether everybody is in it
 */
public record AccessList(boolean all, Set<String> users, Set<String> groups) {
  /** Nobody. */
  public static final AccessList NOBODY = new AccessList(false, Set.of(), Set.of());

  private static final String ALL = "*";

  /** Keeps copies. */
  public AccessList {
    users = Set.copyOf(users);
    groups = Set.copyOf(groups);
  }

  /**
   * Reads {@code user,user group,group}: what comes before the first blank are users, what comes
   * after it groups. With a blank in front there are groups alone. {@code *} in the place of either
   * is everybody, an empty text nobody.
   */
  public static AccessList of(String text) {
    int blank = text.indexOf(' ');
    String users = blank < 0 ? text : text.substring(0, blank);
    String groups = blank < 0 ? "" : text.substring(blank + 1);
    return of(names(users), names(groups));
  }

  /** The same of names; {@code *} among users is everybody, and so it is among groups. */
  public static AccessList of(Collection<String> users, Collection<String> groups) {
    boolean all = isAll(users) || isAll(groups);
    return all
        ? new AccessList(true, Set.of(), Set.of())
        : new AccessList(false, Set.copyOf(users), Set.copyOf(groups));
  }

  private static boolean isAll(Collection<String> names) {
    return names.size() == 1 && names.contains(ALL);
  }

  private static Set<String> names(String list) {
    return Arrays.stream(list.split(","))
        .map(String::strip)
        .filter(name -> !name.isEmpty())
        .collect(Collectors.toUnmodifiableSet());
  }

  /** Whether a user, or one of the groups that he is in, is in it. */
  public boolean allows(String user, Set<String> groupsOfUser) {
    return all || users.contains(user) || !Collections.disjoint(groups, groupsOfUser);
  }
}
