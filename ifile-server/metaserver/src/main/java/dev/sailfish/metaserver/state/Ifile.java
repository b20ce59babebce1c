package dev.sailfish.metaserver.state;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The chunks that hold one partition's map output on one rack. */
final class Ifile {
  private final Job job;
  private final int partition;
  private final String rack;
  private final List<ChunkInfo> bindable = new ArrayList<>(1);

  Ifile(Job job, int partition, String rack) {
    this.job = job;
    this.partition = partition;
    this.rack = rack;
  }

  /** Whose it is. */
  Job job() {
    return job;
  }

  int partition() {
    return partition;
  }

  String rack() {
    return rack;
  }

  /** Chunks that take further appenders, in the order in which they were opened. */
  List<ChunkInfo> bindable() {
    return Collections.unmodifiableList(bindable);
  }

  /**
   * Opens a chunk.
   *
   * @param number which one of the partition's chunks it is, over all racks
   */
  ChunkInfo open(long id, int number, ServerInfo server) {
    ChunkInfo chunk = new ChunkInfo(id, number, this, server);
    bindable.add(chunk);
    return chunk;
  }

  void closed(ChunkInfo chunk) {
    bindable.remove(chunk);
  }

  @Override
  public String toString() {
    return job.name() + " partition=" + partition + " rack=" + rack;
  }
}
