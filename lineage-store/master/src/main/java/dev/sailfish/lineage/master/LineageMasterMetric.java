package dev.sailfish.lineage.master;

import dev.sailfish.ground.server.metrics.Metric;

/** What a master counts since its start, and what there is now. */
public enum LineageMasterMetric implements Metric {
  LEADS(Kind.GAUGE, "1 where the master leads; over all of them the sum is 1"),
  FILES(Kind.GAUGE, "Files and directories, those too that are deleted and not freed yet"),
  FILES_WRITING(Kind.GAUGE, "Files that are not complete"),
  COPIES(Kind.GAUGE, "Copies of blocks, those too that were with workers that are gone"),
  WORKERS(Kind.GAUGE, "Workers that live"),
  CHANGES(Kind.COUNTER, "Changes that this master has answered, refusals and repetitions counted"),
  CLIENTS_EXPIRED(Kind.COUNTER, "Clients that were silent for so long that what they wrote went"),
  WORKERS_EXPIRED(Kind.COUNTER, "Workers that were silent for so long that they count as dead");

  private final Declaration declaration;

  LineageMasterMetric(Kind kind, String help) {
    declaration = Declaration.of(LineageMaster.NAME.replace('-', '_'), name(), kind, help);
  }

  @Override
  public Declaration declaration() {
    return declaration;
  }
}
