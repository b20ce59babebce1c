package dev.sailfish.hadoop.am.warm;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceRequest;
import org.apache.hadoop.yarn.util.resource.Resources;

/**
 * What a job's allocator asks the ResourceManager for and has not got: the newest number for each
 * priority, place and size, as YARN's protocol has it. For one thread at a time.
 */
final class OutstandingAsks {
  /** Hadoop's priorities: small ones first. */
  static final int FAILED_MAP = 5;

  static final int REDUCE = 10;
  static final int MAP = 20;

  private record Size(String place, Resource capability) {}

  private final Map<Integer, Map<Size, Integer>> counts = new TreeMap<>();

  /** Takes over the numbers of a request. */
  void update(Collection<ResourceRequest> asks) {
    for (ResourceRequest ask : asks) {
      counts
          .computeIfAbsent(ask.getPriority().getPriority(), priority -> new HashMap<>())
          .put(
              new Size(ask.getResourceName(), Resources.clone(ask.getCapability())),
              ask.getNumContainers());
    }
  }

  /**
   * Counts a container out that runs at a place and was given to the allocator.
   *
   * @param priority by which it was given
   */
  void given(int priority, Resource resource, String host, String rack) {
    for (String place : new String[] {host, rack, ResourceRequest.ANY}) {
      Size size = waiting(priority, place, resource);
      if (size != null) {
        counts.get(priority).merge(size, -1, Integer::sum);
      }
    }
  }

  /** Whether there is anything. */
  boolean any() {
    return counts.values().stream()
        .flatMap(sizes -> sizes.entrySet().stream())
        .anyMatch(
            entry -> entry.getKey().place().equals(ResourceRequest.ANY) && entry.getValue() > 0);
  }

  /**
   * By which priority a container can be given to the allocator.
   *
   * @param priorities for which it can be used
   * @param steps how far from its data a map may be: 0 on this host, 1 on this rack, 2 anywhere
   * @return null where nothing waits for it
   */
  Priority priority(
      Resource resource, String host, String rack, List<Integer> priorities, int steps) {
    for (int priority : priorities) {
      boolean fits = waiting(priority, ResourceRequest.ANY, resource) != null;
      if (fits && near(priority, resource, host, rack) <= steps) {
        return Priority.newInstance(priority);
      }
    }
    return null;
  }

  /** How far the nearest data is; 0 also where no place is asked for. */
  private int near(int priority, Resource resource, String host, String rack) {
    boolean anywhere =
        counts.get(priority).entrySet().stream()
            .noneMatch(
                entry ->
                    entry.getValue() > 0 && !entry.getKey().place().equals(ResourceRequest.ANY));
    if (anywhere || priority != MAP || waiting(priority, host, resource) != null) {
      return 0;
    }
    return waiting(priority, rack, resource) == null ? 2 : 1;
  }

  private Size waiting(int priority, String place, Resource resource) {
    for (Map.Entry<Size, Integer> entry : counts.getOrDefault(priority, Map.of()).entrySet()) {
      Size size = entry.getKey();
      if (entry.getValue() > 0
          && size.place().equals(place)
          && Resources.fitsIn(size.capability(), resource)) {
        return size;
      }
    }
    return null;
  }
}
