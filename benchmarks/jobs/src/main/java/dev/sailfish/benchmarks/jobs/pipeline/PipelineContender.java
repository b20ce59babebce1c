package dev.sailfish.benchmarks.jobs.pipeline;

import dev.sailfish.benchmarks.jobs.workload.Contender;
import java.util.Locale;

/** A storage with what the jobs of a pipeline run in. */
public enum PipelineContender {
  /** HDFS with one DataNode, and Hadoop's own shuffle and ApplicationMaster. */
  HDFS1(Contender.STOCK),
  /** The same with three DataNodes, and three copies of each file. */
  HDFS3(Contender.STOCK),
  /** The lineage store, and Hadoop's own shuffle and ApplicationMaster. */
  LINEAGE(Contender.STOCK),
  /** The lineage store, Sailfish's shuffle and ApplicationMaster, and tasks that share JVMs. */
  SAILFISH(Contender.SAILFISH_ISOLATED);

  private final Contender jobs;

  PipelineContender(Contender jobs) {
    this.jobs = jobs;
  }

  /** How its jobs run. */
  public Contender jobs() {
    return jobs;
  }

  /** Whether its files are in the lineage store. */
  public boolean isLineage() {
    return this == LINEAGE || this == SAILFISH;
  }

  /** As users write it. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
