package dev.sailfish.metaserver.state;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/** The chunks that hold one partition's map output on one rack. */
final class Ifile {
  private static final Comparator<ChunkInfo> BY_NUMBER = Comparator.comparingInt(ChunkInfo::number);

  private final Job job;
  private final int partition;
  private final String rack;
  private final List<ChunkInfo> bindable = new ArrayList<>(1);

  /** All bindable chunks before this one have {@link #fullAt} appenders or more. */
  private int firstWithRoom;

  private int fullAt;

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
   * The oldest bindable chunk on one of the servers that takes one more appender, or null.
   *
   * @param appendersPerChunk how many a chunk takes
   */
  ChunkInfo withRoom(int appendersPerChunk, Collection<ServerInfo> servers) {
    if (fullAt != appendersPerChunk) {
      fullAt = appendersPerChunk;
      firstWithRoom = 0;
    }
    while (firstWithRoom < bindable.size()
        && bindable.get(firstWithRoom).appenders() >= appendersPerChunk) {
      firstWithRoom++;
    }
    for (int i = firstWithRoom; i < bindable.size(); i++) {
      ChunkInfo chunk = bindable.get(i);
      if (chunk.appenders() < appendersPerChunk && servers.contains(chunk.server())) {
        return chunk;
      }
    }
    return null;
  }

  /** An appender has left the chunk. */
  void left(ChunkInfo chunk) {
    if (firstWithRoom > 0 && chunk.isBindable()) {
      firstWithRoom = Math.min(firstWithRoom, indexOf(chunk));
    }
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
    int index = indexOf(chunk);
    bindable.remove(index);
    if (index < firstWithRoom) {
      firstWithRoom--;
    }
  }

  private int indexOf(ChunkInfo chunk) {
    return Collections.binarySearch(bindable, chunk, BY_NUMBER);
  }

  @Override
  public String toString() {
    return job.name() + " partition=" + partition + " rack=" + rack;
  }
}
