package dev.sailfish.ground.server.kerberos;

import java.io.IOException;
import java.util.Set;

/**
 * Makes the short name of a user, which quotas count by, of a principal: the first part of its
 * name, as Hadoop's rule DEFAULT does, for principals of the realms given and no others.
 */
final class UserNames {
  private static final int MAX_LENGTH = 255;

  private final Set<String> realms;

  UserNames(Set<String> realms) {
    this.realms = Set.copyOf(realms);
  }

  /**
   * The short name.
   *
   * @param principal with its realm
   * @throws IOException when the realm is another one, or the name is none for a user
   */
  String of(String principal) throws IOException {
    int at = principal.lastIndexOf('@');
    String realm = principal.substring(at + 1);
    if (at <= 0 || !realms.contains(realm)) {
      throw new IOException(
          "principal=%s is of a realm whose users are unknown here: known=%s"
              .formatted(principal, realms));
    }
    int slash = principal.indexOf('/');
    String name = principal.substring(0, slash >= 0 && slash < at ? slash : at);
    return require(name);
  }

  /**
   * Checks a short name that somebody has sent.
   *
   * @throws IOException when it is none
   */
  static String require(String name) throws IOException {
    boolean good = !name.isEmpty() && name.length() <= MAX_LENGTH;
    for (int i = 0; good && i < name.length(); i++) {
      char c = name.charAt(i);
      good = c > ' ' && c < 0x7f && c != '/' && c != '@' && c != '\\';
    }
    if (!good) {
      throw new IOException(
          "a user's name is 1 to %s printable ASCII characters without /, @ and \\"
              .formatted(MAX_LENGTH));
    }
    return name;
  }
}
