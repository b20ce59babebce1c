package dev.sailfish.lineage.edge.recompute;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Lineage that a test writes down. */
final class LineageRecords implements Lineage {
  final Set<Long> available = new HashSet<>();
  final Map<Long, Dependency> makers = new HashMap<>();

  LineageRecords wide(long id, List<Long> inputs, Long... outputs) {
    return add(new Dependency(id, inputs, List.of(outputs), DependencyType.WIDE));
  }

  LineageRecords narrow(long id, List<Long> inputs, Long... outputs) {
    return add(new Dependency(id, inputs, List.of(outputs), DependencyType.NARROW));
  }

  LineageRecords add(Dependency dependency) {
    dependency.outputs().forEach(output -> makers.put(output, dependency));
    return this;
  }

  LineageRecords available(Long... files) {
    available.addAll(List.of(files));
    return this;
  }

  RecomputePlan plan(Long... targets) {
    return new RecomputePlanner(this).plan(List.of(targets));
  }

  @Override
  public boolean isAvailable(long fid) {
    return available.contains(fid);
  }

  @Override
  public Optional<Dependency> maker(long fid) {
    return Optional.ofNullable(makers.get(fid));
  }
}
