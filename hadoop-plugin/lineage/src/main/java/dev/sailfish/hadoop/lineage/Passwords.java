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
  private Passwords() {}

  /**
   * Removes them: keys that {@code hadoop.security.sensitive-config-keys} matches, or that {@code
   * mapreduce.job.redacted-properties} names. Who reads the configuration is to learn nothing that
   * opens something else.
   */
  public static void remove(Configuration conf) {
    ConfigRedactor redactor = new ConfigRedactor(conf);
    Set<String> named =
        new HashSet<>(
            Arrays.asList(conf.getTrimmedStrings(MRJobConfig.MR_JOB_REDACTED_PROPERTIES)));
    Set<String> secret = new HashSet<>();
    for (Map.Entry<String, String> entry : conf) {
      String name = entry.getKey();
      if (named.contains(name) || isSecret(redactor, name) || isSecret(redactor, lower(name))) {
        secret.add(name);
      }
    }
    secret.forEach(conf::unset);
  }

  /** Hadoop's patterns are of small letters, and not all names are, as ConnectionPassword. */
  private static String lower(String name) {
    return name.toLowerCase(Locale.ROOT);
  }

  private static boolean isSecret(ConfigRedactor redactor, String name) {
    return !redactor.redact(name, "").isEmpty();
  }
}
