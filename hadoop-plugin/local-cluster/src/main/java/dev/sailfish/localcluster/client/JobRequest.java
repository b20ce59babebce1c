package dev.sailfish.localcluster.client;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A job jar to run, as one would write it behind {@code hadoop jar}.
 *
 * @param jar the job jar
 * @param arguments main class (unless the jar's manifest names one) and the arguments of its main
 *     method
 * @param configuration keys laid over the cluster's configuration
 */
public record JobRequest(Path jar, List<String> arguments, Map<String, String> configuration) {
  private static final String OPTION = "-D";

  public JobRequest {
    arguments = List.copyOf(arguments);
    configuration = Map.copyOf(configuration);
  }

  /** The same for a job that has this tag too. */
  public JobRequest tagged(String tag) {
    Map<String, String> keys = new HashMap<>(configuration);
    keys.merge(RunningJobs.TAGS, tag, (tags, added) -> tags + "," + added);
    return new JobRequest(jar, arguments, keys);
  }

  /** The configuration, with what the arguments set over it as Hadoop's tools take it: with -D. */
  Map<String, String> allKeys() {
    Map<String, String> keys = new HashMap<>(configuration);
    for (int i = 0; i < arguments.size(); i++) {
      String argument = arguments.get(i);
      if (argument.startsWith(OPTION)) {
        boolean apart = argument.equals(OPTION) && i + 1 < arguments.size();
        String[] pair = (apart ? arguments.get(++i) : argument.substring(2)).split("=", 2);
        keys.put(pair[0], pair.length == 2 ? pair[1] : "");
      }
    }
    return keys;
  }
}
