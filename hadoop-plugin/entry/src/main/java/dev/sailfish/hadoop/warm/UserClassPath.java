package dev.sailfish.hadoop.warm;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The user's classes of a task, where they are apart from Hadoop's: what {@code
 * SAILFISH_USER_CLASSPATH} in the environment says.
 */
public final class UserClassPath {
  /** The variable of the environment that holds the class path. */
  public static final String VARIABLE = "SAILFISH_USER_CLASSPATH";

  private static final String ALL_JARS = "/*";

  private UserClassPath() {}

  /**
   * Of this process.
   *
   * @return null where user's classes are not apart
   */
  public static List<URL> ofProcess() {
    String path = System.getenv(VARIABLE);
    return path == null ? null : urls(path);
  }

  /**
   * What a class path names, as the {@code java} command understands it.
   *
   * @param path entries with colons between: directories, jars, and {@code DIRECTORY/*} for all
   *     jars of one; relative ones are in the working directory
   * @return in order; what does not exist is left out
   */
  static List<URL> urls(String path) {
    List<URL> urls = new ArrayList<>();
    for (String entry : path.split(File.pathSeparator)) {
      if (entry.endsWith(ALL_JARS)) {
        addJars(urls, new File(entry.substring(0, entry.length() - 1)));
      } else if (!entry.isEmpty() && new File(entry).exists()) {
        urls.add(url(new File(entry)));
      }
    }
    return urls;
  }

  private static void addJars(List<URL> urls, File directory) {
    File[] jars = directory.listFiles(UserClassPath::isJar);
    if (jars == null) {
      return;
    }
    Arrays.sort(jars);
    for (File jar : jars) {
      urls.add(url(jar));
    }
  }

  private static boolean isJar(File file) {
    return (file.getName().endsWith(".jar") || file.getName().endsWith(".JAR")) && file.isFile();
  }

  private static URL url(File file) {
    try {
      return file.getAbsoluteFile().toURI().normalize().toURL();
    } catch (MalformedURLException e) {
      throw new IllegalArgumentException(file.toString(), e);
    }
  }
}
