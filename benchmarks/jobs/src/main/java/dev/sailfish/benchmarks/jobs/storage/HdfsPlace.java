package dev.sailfish.benchmarks.jobs.storage;

import java.util.Map;
import java.util.function.DoubleSupplier;

/**
 * How jobs reach an HDFS that is none of their cluster's.
 *
 * @param address URI of it
 * @param keys of the jobs' configuration
 * @param cpuSeconds of its daemons since they were started
 */
public record HdfsPlace(String address, Map<String, String> keys, DoubleSupplier cpuSeconds) {
  public HdfsPlace {
    keys = Map.copyOf(keys);
  }
}
