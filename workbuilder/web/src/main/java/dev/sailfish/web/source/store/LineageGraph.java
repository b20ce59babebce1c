package dev.sailfish.web.source.store;

import dev.sailfish.lineage.protocol.wire.DependencyRecord;
import dev.sailfish.lineage.protocol.wire.DependencyType;
import dev.sailfish.lineage.protocol.wire.OutputState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Gathers files and records and what leads from one to the other. For one thread. */
final class LineageGraph {
  private static final String PREFIX = "OUTPUT_";

  private final Map<String, StoreLineage.Node> nodes = new LinkedHashMap<>();
  private final Set<List<String>> edges = new LinkedHashSet<>();

  /** What a state is called. */
  static String state(OutputState state) {
    String name = state == OutputState.UNRECOGNIZED ? "unknown" : state.name();
    return name.replace(PREFIX, "").toLowerCase(Locale.ROOT);
  }

  int size() {
    return nodes.size();
  }

  /** A file; what was said of it first counts. */
  void file(long fid, String name, String state) {
    String id = fileId(fid);
    nodes.putIfAbsent(id, new StoreLineage.Node(id, "file", name, state, null));
  }

  void dependency(DependencyRecord record) {
    String id = recordId(record.getId());
    String name = record.getName().isEmpty() ? "record " + record.getId() : record.getName();
    String type = record.getType() == DependencyType.DEPENDENCY_NARROW ? "narrow" : "wide";
    nodes.putIfAbsent(
        id,
        new StoreLineage.Node(
            id, "dependency", name, record.getGrowing() ? "growing" : "sealed", type));
  }

  /** A file that is not in the store was read. */
  void outside(long record, String uri) {
    nodes.putIfAbsent(uri, new StoreLineage.Node(uri, "file", uri, "outside", null));
    edges.add(List.of(uri, recordId(record)));
  }

  /** A file was read. */
  void read(long fid, long record) {
    edges.add(List.of(fileId(fid), recordId(record)));
  }

  /** A file was made. */
  void made(long record, long fid) {
    edges.add(List.of(recordId(record), fileId(fid)));
  }

  StoreLineage lineage() {
    return new StoreLineage(List.copyOf(nodes.values()), new ArrayList<>(edges));
  }

  private static String fileId(long fid) {
    return "f" + Long.toHexString(fid);
  }

  private static String recordId(long record) {
    return "d" + record;
  }
}
