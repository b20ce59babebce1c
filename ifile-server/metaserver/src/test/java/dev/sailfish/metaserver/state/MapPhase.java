package dev.sailfish.metaserver.state;

import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.protocol.wire.BindRequest;
import dev.sailfish.protocol.wire.Binding;
import dev.sailfish.protocol.wire.CreateIfilesRequest;
import dev.sailfish.protocol.wire.PartitionManifest;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * The map phase of a job on a real core, with chunkservers that only count. Maps begin in the order
 * of their ordinals, as many at a time as there are slots; they append in turns, in an order that
 * is drawn, each time one block to each partition.
 */
final class MapPhase {
  static final String JOB = "job_1700000000000_0001";
  static final long CHUNK_BYTES = 128 * CoreFixture.MIB;
  private static final int TURNS = 2;

  /**
   * A job and its cluster.
   *
   * @param drives of each server; a chunk goes to the one with the fewest
   * @param slots how many maps run at a time
   * @param mapBytes what each map appends, evenly over the partitions
   */
  record Setting(int servers, int drives, int maps, int slots, int partitions, long mapBytes) {
    long bytes() {
      return maps * mapBytes;
    }
  }

  /** A chunk as its server has it. */
  static final class StoredChunk {
    final String server;
    final int drive;
    long bytes;
    boolean full;

    private StoredChunk(String server, int drive) {
      this.server = server;
      this.drive = drive;
    }
  }

  /** A map that runs: where each partition is bound, and the chunks that have blocks of it. */
  private final class RunningMap {
    private final int ordinal;
    private final long[] bound = new long[setting.partitions()];
    private final List<List<Long>> wrote = new ArrayList<>();
    private int turns;

    RunningMap(int ordinal) {
      this.ordinal = ordinal;
      for (int partition = 0; partition < bound.length; partition++) {
        wrote.add(new ArrayList<>(1));
      }
    }

    /** Appends a block to each partition; returns whether that was the last one. */
    boolean turn() throws RequestRefusedException {
      List<Integer> left = new ArrayList<>();
      for (int partition = 0; partition < bound.length; partition++) {
        left.add(partition);
      }
      left.removeIf(this::append);
      while (!left.isEmpty()) {
        bind(left);
        left.removeIf(this::append);
      }
      return ++turns == TURNS;
    }

    private void bind(List<Integer> partitions) throws RequestRefusedException {
      BindRequest.Builder request = BindRequest.newBuilder().setJob(JOB).setMap(ordinal);
      for (int partition : partitions) {
        long previous = bound[partition];
        request.addTargets(
            CoreFixture.target(partition)
                .setPreviousChunk(previous)
                .setPreviousFull(previous != 0));
      }
      for (Binding binding : core.bind(request.build(), CoreFixture.RACK).getBindingsList()) {
        bound[binding.getPartition()] = binding.getChunk();
        chunks.computeIfAbsent(binding.getChunk(), id -> begun(binding.getServerId()));
      }
    }

    private boolean append(int partition) {
      long id = bound[partition];
      if (id == 0) {
        return false;
      }
      StoredChunk chunk = chunks.get(id);
      chunk.full |= chunk.bytes + blockBytes > CHUNK_BYTES;
      if (chunk.full) {
        return false;
      }
      chunk.bytes += blockBytes;
      List<Long> ofPartition = wrote.get(partition);
      if (ofPartition.isEmpty() || ofPartition.get(ofPartition.size() - 1) != id) {
        ofPartition.add(id);
      }
      return true;
    }

    void commit() throws RequestRefusedException {
      List<PartitionManifest> manifests = new ArrayList<>();
      for (int partition = 0; partition < bound.length; partition++) {
        long[] ids = wrote.get(partition).stream().mapToLong(Long::longValue).toArray();
        manifests.add(CoreFixture.wrote(partition, ids));
      }
      core.commit(JOB, ordinal, 0, manifests.toArray(new PartitionManifest[0]));
    }
  }

  final CoreFixture core = new CoreFixture();
  private final Setting setting;
  private final long blockBytes;
  private final Map<Long, StoredChunk> chunks = new HashMap<>();
  private final Map<String, int[]> chunksOfDrives = new HashMap<>();
  private final List<RunningMap> maps = new ArrayList<>();

  private MapPhase(Setting setting) {
    this.setting = setting;
    this.blockBytes = setting.mapBytes() / setting.partitions() / TURNS;
  }

  static MapPhase run(Setting setting, long seed) throws RequestRefusedException {
    MapPhase phase = new MapPhase(setting);
    for (int server = 0; server < setting.servers(); server++) {
      phase.core.register(server(server), CoreFixture.RACK);
    }
    phase.core.create(JOB, setting.partitions());
    phase.runMaps(new SplittableRandom(seed));
    return phase;
  }

  static String server(int number) {
    return "s%03d".formatted(number);
  }

  private void runMaps(SplittableRandom random) throws RequestRefusedException {
    List<RunningMap> running = new ArrayList<>();
    while (maps.size() < setting.maps() || !running.isEmpty()) {
      while (maps.size() < setting.maps() && running.size() < setting.slots()) {
        RunningMap map = new RunningMap(maps.size());
        maps.add(map);
        running.add(map);
      }
      RunningMap map = running.get(random.nextInt(running.size()));
      if (map.turn()) {
        map.commit();
        running.remove(map);
      }
    }
  }

  private StoredChunk begun(String server) {
    int[] drives = chunksOfDrives.computeIfAbsent(server, id -> new int[setting.drives()]);
    int drive = 0;
    for (int i = 1; i < drives.length; i++) {
      drive = drives[i] < drives[drive] ? i : drive;
    }
    drives[drive]++;
    return new StoredChunk(server, drive);
  }

  Collection<StoredChunk> chunks() {
    return chunks.values();
  }

  /** How many partitions of which maps have blocks in such chunks, without those that have none. */
  SortedMap<Integer, Integer> lost(Predicate<StoredChunk> isLost) {
    SortedMap<Integer, Integer> lost = new TreeMap<>();
    for (RunningMap map : maps) {
      for (List<Long> ids : map.wrote) {
        if (ids.stream().anyMatch(id -> isLost.test(chunks.get(id)))) {
          lost.merge(map.ordinal, 1, Integer::sum);
        }
      }
    }
    return lost;
  }

  /** How many partitions a map's second attempt is told not to append. */
  int heldByMapThatRunsAgain(int map) throws RequestRefusedException {
    CreateIfilesRequest.Builder again =
        CoreFixture.job(JOB, setting.partitions()).setMap(map).setAttempt(1);
    return core.state.createIfiles(again.build(), core.nowMs).getHeldCount();
  }
}
