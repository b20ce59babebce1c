package dev.sailfish.lineage.qfs.meta;

/**
 * Who calls, and who owns what is made: QFS's numeric ids. A metaserver without authentication
 * believes them. Immutable.
 *
 * @param user 0 is the super-user
 * @param group of the user
 */
public record Owner(int user, int group) {
  /** QFS's super-user. */
  public static final Owner ROOT = new Owner(0, 0);
}
