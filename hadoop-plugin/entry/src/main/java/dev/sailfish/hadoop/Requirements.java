package dev.sailfish.hadoop;

import org.apache.hadoop.util.VersionInfo;

/** Which versions of Java and Hadoop tasks need, for those that have others. */
public final class Requirements {
  private static final int JAVA = 17;
  private static final int HADOOP = 3;
  private static final int FIRST_MINOR = 3;
  private static final int LAST_MINOR = 5;

  private Requirements() {}

  /**
   * Why classes cannot be loaded or do not fit.
   *
   * @param error what the JVM said
   * @return which version is needed; where this JVM and Hadoop are of supported ones, what the JVM
   *     said
   */
  public static String explain(Throwable error) {
    String missing =
        missing(
            System.getProperty("java.specification.version"),
            System.getProperty("java.home"),
            VersionInfo.getVersion());
    return missing == null ? error.toString() : missing;
  }

  /**
   * What to do where a version is not supported.
   *
   * @param java as {@code java.specification.version} has it: 1.8, 11
   * @param javaHome where that Java is
   * @param hadoop as Hadoop calls itself, also with more behind two numbers
   * @return null when all are
   */
  static String missing(String java, String javaHome, String hadoop) {
    if (java.startsWith("1.") || Integer.parseInt(java) < JAVA) {
      return "Sailfish needs Java "
          + JAVA
          + " or newer in tasks and ApplicationMaster, and this is Java "
          + java
          + " ("
          + javaHome
          + "): set JAVA_HOME of a newer one in mapreduce.map.env, mapreduce.reduce.env and"
          + " yarn.app.mapreduce.am.env";
    }
    String[] numbers = hadoop.split("[^0-9]");
    int major = number(numbers, 0);
    int minor = number(numbers, 1);
    if (major != HADOOP || minor < FIRST_MINOR || minor > LAST_MINOR) {
      return "Sailfish runs in tasks of Hadoop "
          + HADOOP
          + "."
          + FIRST_MINOR
          + " to "
          + HADOOP
          + "."
          + LAST_MINOR
          + ", and this is Hadoop "
          + hadoop
          + ": leave its keys out of mapred-site.xml, and Hadoop's own shuffle does the job";
    }
    return null;
  }

  private static int number(String[] numbers, int index) {
    return index < numbers.length && !numbers[index].isEmpty()
        ? Integer.parseInt(numbers[index])
        : -1;
  }
}
