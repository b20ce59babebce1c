package dev.sailfish.lineage.edge.recompute;

import java.util.List;

/**
 * Which files are temporary: those that were created so, and those below certain paths. All others
 * are permanent. Section 2.6 of the earlier paper makes the difference, and leaves open how it is
 * told.
 *
 * @param paths absolute, without a slash at the end; {@code /} makes all files temporary. One
 *     without any slash is the name of directories: what is below one is temporary, wherever it is.
 */
public record TemporaryFiles(List<String> paths) {
  public TemporaryFiles {
    paths = List.copyOf(paths);
    for (String path : paths) {
      boolean isName = !path.isEmpty() && path.indexOf('/') < 0;
      if (!isName && !path.equals("/") && (!path.startsWith("/") || path.endsWith("/"))) {
        throw new IllegalArgumentException(
            "a path of temporary files is absolute and has no slash at the end, or is the name of"
                + " directories: "
                + path);
      }
    }
  }

  /**
   * Whether a file is temporary.
   *
   * @param path its absolute path
   * @param createdTemporary it was said when it was created
   */
  public boolean isTemporary(String path, boolean createdTemporary) {
    return createdTemporary || paths.stream().anyMatch(above -> isBelow(above, path));
  }

  private static boolean isBelow(String above, String path) {
    if (above.indexOf('/') < 0) {
      return path.contains("/" + above + "/");
    }
    return above.equals("/")
        || path.startsWith(above)
            && (path.length() == above.length() || path.charAt(above.length()) == '/');
  }
}
