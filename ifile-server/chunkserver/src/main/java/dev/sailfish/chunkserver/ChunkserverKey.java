package dev.sailfish.chunkserver;

import dev.sailfish.ground.config.HostPort;
import dev.sailfish.ground.config.Key;
import dev.sailfish.ground.config.KeySet;
import dev.sailfish.ground.server.ServerKeys;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The chunkserver's configuration keys. */
public final class ChunkserverKey {
  /** What the names of all keys begin with. */
  public static final String PREFIX = "sailfish.chunkserver.";

  /** All keys. */
  public static final KeySet ALL = new KeySet(PREFIX);

  static final Key<String> HOST =
      ALL.text("host", "", "name that clients connect to; empty: this host's");
  static final Key<String> BIND =
      ALL.text("bind", "0.0.0.0", "address to listen on, for both ports");
  static final Key<Integer> PORT =
      ALL.number("port", "19852", "0..65535", "port for tasks; 0 = any free one");
  static final ServerKeys SERVER = ServerKeys.of(ALL, "19853");
  static final Key<List<HostPort>> METASERVER_ADDRESS =
      ALL.addresses(
          "metaserver.address",
          "localhost:19850",
          Key.NONE,
          "where the metaserver is, or all of them with commas between; `none`: works without one");
  static final Key<List<String>> DATA_DIRS =
      ALL.list(
          "data.dirs",
          "",
          "directories of the disk tiers, path[:disktype=SSD|HDD][:capacity=SIZE] with commas"
              + " between them; without a capacity a directory may fill its file system up to 95"
              + " %");
  static final Key<Optional<Path>> MEMORY_DIR =
      ALL.path(
          "memory.dir",
          "/dev/shm/sailfish-chunkserver-PORT",
          "directory of the memory tier, on a memory file system; PORT in it stands for the port;"
              + " `none`: no memory tier");
  static final Key<Long> MEMORY_SIZE =
      ALL.size("memory.size", "1g", "1m..", "capacity of the memory tier");
  static final Key<Long> GROWTH =
      ALL.size("growth", "1m", "4k..1g", "step in which chunks grow, a multiple of 4k");
  static final Key<Duration> IDLE_RELEASE =
      ALL.duration(
          "idle.release",
          "10min",
          "0..1d",
          "how long memory is kept warm after the last chunk has left it");
  static final Key<Boolean> KEEP_CHUNKS =
      ALL.flag(
          "keep.chunks",
          "true",
          "whether a stop leaves the chunks in memory to the next start with the same directories;"
              + " false: they are deleted");
  static final Key<Integer> IO_THREADS =
      ALL.number(
          "io.threads", "", "1..256", "threads that serve connections; empty: half the cores");
  static final Key<Integer> SORTER_THREADS =
      ALL.number("sorter.threads", "", "1..256", "chunks sorted at a time; empty: half the cores");
  static final Key<Long> SORTER_MEMORY =
      ALL.size(
          "sorter.memory",
          "256m",
          "1m..",
          "memory for sorting, on the heap and beside it, shared by the sorter threads");
  static final Key<Long> SORTED_BLOCK_SIZE =
      ALL.size(
          "sorted.block.size",
          "64k",
          "16k..64k",
          "length of sorted blocks before compression: the grain of the index");
  static final Key<Integer> CHUNKS_MAX =
      ALL.number(
          "chunks.max",
          "20000",
          "1..200000",
          "chunks at a time; all of them are named in one message when the server registers");
  static final Key<Integer> READERS_WAITING_MAX =
      ALL.number(
          "readers.waiting.max",
          "100000",
          "1..10000000",
          "requests at a time that wait for a sort");
  static final Key<Integer> CONNECTIONS_MAX =
      ALL.number("connections.max", "20000", "1..1000000", "connections at a time");
  static final Key<Duration> FRAME_DEADLINE =
      ALL.duration(
          "frame.deadline",
          "30s",
          "100ms..1h",
          "how long the next byte of a block that is arriving may take; in this time 256k of it must"
              + " come, or all that is missing");
  static final Key<Duration> WRITE_DEADLINE =
      ALL.duration(
          "write.deadline",
          "1min",
          "100ms..1h",
          "how long a client may take none of an answer's bytes");
  static final Key<Duration> HEARTBEAT =
      ALL.duration(
          "heartbeat",
          "1s",
          "10ms..1min",
          "how long the metaserver may keep a heartbeat waiting at most; changes are told this late");
  static final Key<Duration> REHEARSAL =
      ALL.duration(
          "rehearsal",
          "3s",
          "0..1min",
          "how much CPU time a process that has just started and holds nothing may use to append,"
              + " sort and read chunks that mean nothing, so that its code is compiled when the"
              + " first job comes; it ends when one comes, and after ten times as long. 0: none");
  static final Key<Long> WARM =
      ALL.size(
          "warm",
          "1g",
          "0..1t",
          "memory that such a process makes ready after its rehearsal for the first chunks, at"
              + " most a quarter of the memory tier; given back as that of chunks is"
              + " (idle.release). Where there is some, each sorter has a buffer for its first"
              + " chunk, too: 72 MiB, and half of its memory at most. 0: none");

  private ChunkserverKey() {}
}
