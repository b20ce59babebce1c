package dev.sailfish.benchmarks.qfs;

import dev.sailfish.ground.config.HostPort;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What is measured, as {@code name=value} on the command line.
 *
 * @param metaserver of QFS: {@code qfs}
 * @param serverPids processes of QFS whose CPU time counts: {@code pids}, commas between
 * @param replicas of QFS's chunks: {@code replicas}, 1
 * @param maps how many append at once, one map task each: {@code maps}, 8
 * @param mib of records, all maps together: {@code mb}, 512
 * @param rounds that count, after one that does not: {@code rounds}, 3
 * @param blockBytes of one appended block: {@code block}, 262144
 * @param directory for sorted chunks: {@code dir}, one of its own on /dev/shm
 */
record Arguments(
    HostPort metaserver,
    long[] serverPids,
    int replicas,
    int maps,
    int mib,
    int rounds,
    int blockBytes,
    Path directory) {

  static Arguments parse(String[] words) {
    Map<String, String> values = new HashMap<>();
    for (String word : words) {
      int equals = word.indexOf('=');
      values.put(word.substring(0, Math.max(0, equals)), word.substring(equals + 1));
    }
    String meta = values.remove("qfs");
    String pids = values.remove("pids");
    if (meta == null || pids == null) {
      throw new IllegalArgumentException("qfs=HOST:PORT and pids=PID,PID,… are needed");
    }
    Arguments arguments =
        new Arguments(
            HostPort.parse(meta),
            Stream.of(pids.split(",")).mapToLong(Long::parseLong).toArray(),
            number(values, "replicas", 1),
            number(values, "maps", 8),
            number(values, "mb", 512),
            number(values, "rounds", 3),
            number(values, "block", 256 << 10),
            Path.of(values.getOrDefault("dir", "/dev/shm/sailfish-qfs-benchmark")));
    values.remove("dir");
    if (!values.isEmpty()) {
      throw new IllegalArgumentException("unknown: " + values.keySet());
    }
    return arguments;
  }

  private static int number(Map<String, String> values, String name, int absent) {
    String value = values.remove(name);
    return value == null ? absent : Integer.parseInt(value);
  }
}
