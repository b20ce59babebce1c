package dev.sailfish.hadoop.lineage;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.conf.ConfigRedactor;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.MRJobConfig;

/** Passwords that are in configurations. */
public final class Passwords {
  private static final Set<String> DEFAULTS =
      Set.of("core-default.xml", "hdfs-default.xml", "mapred-default.xml", "yarn-default.xml");

  private Passwords() {}

  /**
   * Removes them: keys that {@code hadoop.security.sensitive-config-keys} matches, or that {@code
   * mapreduce.job.redacted-properties} names. Who reads the configuration is to learn nothing that
   * opens something else. What only files of defaults say, as the configuration names its sources,
   * is known to anybody and stays: that is most of it, and to match all would be a quarter of what
   * a record costs.
   */
  public static void remove(Configuration conf) {
    ConfigRedactor redactor = new ConfigRedactor(conf);
    Set<String> named =
        new HashSet<>(
            Arrays.asList(conf.getTrimmedStrings(MRJobConfig.MR_JOB_REDACTED_PROPERTIES)));
    Set<String> secret = new HashSet<>();
    for (Map.Entry<String, String> entry : conf) {
      String name = entry.getKey();
      if (named.contains(name) || !isDefault(conf, name) && isSecret(redactor, name)) {
        secret.add(name);
      }
    }
    secret.forEach(conf::unset);
  }

  /** The last source is the file that the configuration was read from, or there is one alone. */
  private static boolean isDefault(Configuration conf, String name) {
    String[] sources = conf.getPropertySources(name);
    return sources != null && sources.length == 2 && DEFAULTS.contains(sources[0]);
  }

  /** Hadoop's patterns are of small letters, and not all names are, as ConnectionPassword. */
  private static boolean isSecret(ConfigRedactor redactor, String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    return isMatched(redactor, name) || !lower.equals(name) && isMatched(redactor, lower);
  }

  private static boolean isMatched(ConfigRedactor redactor, String name) {
    return !redactor.redact(name, "").isEmpty();
  }
}
