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
    return record.getType() == DependencyType.DEPENDENCY_NARROW ? "narrow" : "wide";
  }

  static String state(DependencyOutput output) {
    return output.getState().name().substring(STATE_PREFIX.length()).toLowerCase(Locale.ROOT);
  }
}
