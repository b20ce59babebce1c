package dev.sailfish.cli.store;

import dev.sailfish.lineage.protocol.wire.DependencyOutput;
import dev.sailfish.lineage.protocol.wire.DependencyRecord;
import dev.sailfish.lineage.protocol.wire.DependencyType;
import java.util.Locale;

/** Lineage records as people read them. */
final class LineageText {
  private static final String STATE_PREFIX = "OUTPUT_";

  private LineageText() {}

  static String fid(long fid) {
    return "%016x".formatted(fid);
  }

  static String type(DependencyRecord record) {
    String type = record.getType() == DependencyType.DEPENDENCY_NARROW ? "narrow" : "wide";
    return type + (record.getGrowing() ? ", growing" : "");
  }

  /** A part, {@code map-} of a job with reducers, and which of its files, if not the first one. */
  static String part(DependencyOutput output) {
    return (output.getMap() ? "map-" : "")
        + output.getIndex()
        + (output.getFile() == 0 ? "" : "." + output.getFile());
  }

  static String state(DependencyOutput output) {
    return output.getState().name().substring(STATE_PREFIX.length()).toLowerCase(Locale.ROOT);
  }
}
