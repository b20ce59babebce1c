package dev.sailfish.web.source.shuffle;

import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.wire.ChunkDescription;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Adds up the chunks of a job. For one thread. */
final class ChunkSums {
  private static final class Sum {
    private final Set<String> racks = new TreeSet<>();
    private final int[] states = new int[ChunkState.values().length + 1];
    private long bytes;
    private long storedBytes;
    private long records;
  }

  private final Map<Integer, Sum> sums = new TreeMap<>();
  private final Map<String, ChunkPlace> servers = new LinkedHashMap<>();
  private long sortedBytes;
  private long unsortedBytes;
  private long sortCpuUs;

  void add(ChunkDescription chunk) {
    Sum sum = sums.computeIfAbsent(chunk.getPartition(), partition -> new Sum());
    sum.racks.add(chunk.getRack());
    int state = chunk.getState();
    sum.states[state > 0 && state < sum.states.length ? state : 0]++;
    sum.bytes += chunk.getRawBytes();
    sum.storedBytes += chunk.getStoredBytes();
    sum.records += chunk.getRecords();
    sortCpuUs += chunk.getSortCpuUs();
    if (state == ChunkState.SORTED.code()) {
      sortedBytes += chunk.getRawBytes();
    } else if (state != ChunkState.LOST.code()) {
      unsortedBytes += chunk.getRawBytes();
    }
    String address = chunk.getHost() + ":" + chunk.getPort();
    servers.putIfAbsent(address, new ChunkPlace(chunk.getServerId(), address, chunk.getRack()));
  }

  /** All that was added. */
  ShuffleData data() {
    List<IfileRow> rows = new ArrayList<>();
    sums.forEach((partition, sum) -> rows.add(row(partition, sum)));
    return new ShuffleData(
        rows, sortedBytes, unsortedBytes, sortCpuUs, List.copyOf(servers.values()));
  }

  private static IfileRow row(int partition, Sum sum) {
    int chunks = 0;
    for (int count : sum.states) {
      chunks += count;
    }
    return new IfileRow(
        partition,
        List.copyOf(sum.racks),
        chunks,
        sum.states[ChunkState.OPEN.code()],
        sum.states[ChunkState.STABLE.code()],
        sum.states[ChunkState.SORTED.code()],
        sum.states[ChunkState.LOST.code()],
        sum.bytes,
        sum.storedBytes,
        sum.records);
  }
}
