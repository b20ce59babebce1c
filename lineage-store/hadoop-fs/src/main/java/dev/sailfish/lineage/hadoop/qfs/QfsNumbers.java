package dev.sailfish.lineage.hadoop.qfs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * The numbers by which QFS knows users and groups, and the names that Hadoop has for them. A name
 * has the number that the configuration says, else that of the file ({@code /etc/passwd}, {@code
 * /etc/group}); a name of digits is the number itself. A number without a name is written in
 * digits. Immutable.
 */
final class QfsNumbers {
  /** No user or group: one that is left as it is. */
  static final int NONE = -1;

  private static final int NAME = 0;
  private static final int NUMBER = 2;
  private static final int GROUP_NUMBER = 3;
  private static final int MOST_DIGITS = 9;

  private final Map<String, Integer> users = new HashMap<>();
  private final Map<String, Integer> groups = new HashMap<>();
  private final Map<Integer, String> userNames = new HashMap<>();
  private final Map<Integer, String> groupNames = new HashMap<>();
  private final Map<String, Integer> firstGroups = new HashMap<>();

  /**
   * Who asks.
   *
   * @param user number
   * @param group number of the user's first group: the only one that QFS is told
   */
  record Caller(int user, int group) {}

  /**
   * @param setUsers {@code name=number} each, or {@code name=number:group} with the number of the
   *     first group
   * @param setGroups {@code name=number} each
   * @param userFile in the format of {@code /etc/passwd}; one that is not there has no users
   * @param groupFile in the format of {@code /etc/group}
   * @throws IOException when a file that is there cannot be read
   * @throws IllegalArgumentException quoting an entry that is not {@code name=number}
   */
  QfsNumbers(
      List<String> setUsers,
      List<String> setGroups,
      Optional<Path> userFile,
      Optional<Path> groupFile)
      throws IOException {
    for (String entry : setUsers) {
      putUser(entry);
    }
    for (String entry : setGroups) {
      put(entry, groups, groupNames);
    }
    for (String[] fields : lines(userFile)) {
      add(fields, users, userNames);
      if (fields.length > GROUP_NUMBER) {
        parse(fields[GROUP_NUMBER])
            .ifPresent(group -> firstGroups.putIfAbsent(fields[NAME], group));
      }
    }
    for (String[] fields : lines(groupFile)) {
      add(fields, groups, groupNames);
    }
  }

  /** Takes what is behind the number as the number of the first group. */
  private void putUser(String entry) {
    int colon = entry.indexOf(':', entry.indexOf('=') + 1);
    String name = put(colon < 0 ? entry : entry.substring(0, colon), users, userNames);
    if (colon >= 0) {
      int group =
          parse(entry.substring(colon + 1).strip())
              .orElseThrow(() -> wrong(entry, "=number:group"));
      firstGroups.put(name, group);
    }
  }

  private static String put(
      String entry, Map<String, Integer> numbers, Map<Integer, String> names) {
    int equals = entry.indexOf('=');
    Optional<Integer> number = parse(entry.substring(equals + 1).strip());
    String name = entry.substring(0, Math.max(0, equals)).strip();
    if (name.isEmpty() || number.isEmpty()) {
      throw wrong(entry, "=number");
    }
    numbers.put(name, number.get());
    names.putIfAbsent(number.get(), name);
    return name;
  }

  private static IllegalArgumentException wrong(String entry, String form) {
    return new IllegalArgumentException(
        "'"
            + entry
            + "' must be name"
            + form
            + " with numbers of at most "
            + MOST_DIGITS
            + " digits");
  }

  private static void add(
      String[] fields, Map<String, Integer> numbers, Map<Integer, String> names) {
    Optional<Integer> number = fields.length > NUMBER ? parse(fields[NUMBER]) : Optional.empty();
    if (number.isPresent()) {
      numbers.putIfAbsent(fields[NAME], number.get());
      names.putIfAbsent(number.get(), fields[NAME]);
    }
  }

  private static List<String[]> lines(Optional<Path> file) throws IOException {
    if (file.isEmpty() || !Files.exists(file.get())) {
      return List.of();
    }
    return Files.readAllLines(file.get(), StandardCharsets.ISO_8859_1).stream()
        .filter(line -> !line.startsWith("#"))
        .map(line -> line.split(":", -1))
        .toList();
  }

  /** Empty: it is no number of a user or group. */
  private static Optional<Integer> parse(String text) {
    boolean isNumber =
        !text.isEmpty()
            && text.length() <= MOST_DIGITS
            && text.chars().allMatch(letter -> letter >= '0' && letter <= '9');
    return isNumber ? Optional.of(Integer.parseInt(text)) : Optional.empty();
  }

  /**
   * @throws IOException when the user has none, saying where it could have one
   */
  int user(String name) throws IOException {
    return number(name, users, "user", QfsKey.USERS.name(), QfsKey.USERS_FILE.name());
  }

  /**
   * @throws IOException when the group has none, saying where it could have one
   */
  int group(String name) throws IOException {
    return number(name, groups, "group", QfsKey.GROUPS.name(), QfsKey.GROUPS_FILE.name());
  }

  private static int number(
      String name, Map<String, Integer> numbers, String kind, String key, String fileKey)
      throws IOException {
    Integer known = numbers.get(name);
    if (known != null) {
      return known;
    }
    return parse(name)
        .orElseThrow(
            () ->
                new IOException(
                    ("QFS knows users and groups by numbers, and %s '%s' has none: add %s=NUMBER to"
                            + " %s, or the %s to the file of %s")
                        .formatted(kind, name, name, key, kind, fileKey)));
  }

  /** The user's name, or the number. */
  String userName(int number) {
    return userNames.getOrDefault(number, Integer.toUnsignedString(number));
  }

  /** The group's name, or the number. */
  String groupName(int number) {
    return groupNames.getOrDefault(number, Integer.toUnsignedString(number));
  }

  /**
   * The numbers of a user who asks. The group is the one beside the user's own number, else the
   * first of Hadoop's groups that has a number.
   *
   * @throws IOException when the user or the group has no number
   */
  Caller caller(UserGroupInformation user) throws IOException {
    String name = user.getShortUserName();
    int number = user(name);
    Integer first = firstGroups.get(name);
    if (first != null) {
      return new Caller(number, first);
    }
    for (String group : user.getGroupNames()) {
      Optional<Integer> known = Optional.ofNullable(groups.get(group)).or(() -> parse(group));
      if (known.isPresent()) {
        return new Caller(number, known.get());
      }
    }
    throw new IOException(
        ("QFS is told a group of who asks, by its number, and no group of user '%s' has one: write"
                + " %s=%d:GROUP into %s, or a group of %s into %s")
            .formatted(
                name, name, number, QfsKey.USERS, List.of(user.getGroupNames()), QfsKey.GROUPS));
  }
}
