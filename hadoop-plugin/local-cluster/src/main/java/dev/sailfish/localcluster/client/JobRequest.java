package dev.sailfish.localcluster.client;

import java.nio.file.Path;
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
  public JobRequest {
    arguments = List.copyOf(arguments);
    configuration = Map.copyOf(configuration);
  }
}
