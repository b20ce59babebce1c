package dev.sailfish.lineage.worker;

import dev.sailfish.ground.config.HostPort;
import dev.sailfish.ground.config.Key;
import dev.sailfish.ground.config.KeySet;
import dev.sailfish.ground.server.ServerKeys;
import java.time.Duration;
import java.util.List;

/** The configuration keys of a worker. */
public final class LineageWorkerKey {
  /** All of them. */
  public static final KeySet ALL = new KeySet("sailfish.lineage.worker.");

  static final Key<String> HOST =
      ALL.text("host", "", "name that clients connect to; empty: this host's");
  static final Key<String> BIND =
      ALL.text("bind", "0.0.0.0", "address to listen on, for both ports");
  static final Key<Integer> PORT =
      ALL.number("port", "19870", "0..65535", "port for clients; 0 = any free one");
  static final ServerKeys SERVER = ServerKeys.of(ALL, "19871");
  static final Key<List<HostPort>> MASTER_ADDRESS =
      ALL.addresses(
          "master.address",
          "localhost:19868",
          "",
          "where the lineage master is, or all of them with commas between");
  static final Key<List<String>> DIRS =
      ALL.list(
          "dirs",
          "",
          "directories, path[:disktype=MEM|SSD|HDD][:capacity=SIZE] with commas between them, each"
              + " on a file system of its own; one of disktype MEM lies on a memory file system,"
              + " such as /dev/shm, and has a capacity. PORT in a path stands for the port");
  static final Key<Long> GROWTH =
      ALL.size(
          "growth",
          "1m",
          "4k..1g",
          "step in which blocks grow that come over the network, a" + " multiple of 4k");
  static final Key<Duration> IDLE_RELEASE =
      ALL.duration(
          "idle.release",
          "10min",
          "0..1d",
          "how long memory is kept warm after the last block has left it");
  static final Key<Long> WARM =
      ALL.size(
          "warm",
          "2g",
          "0..1t",
          "memory that is made ready in idle times for blocks that writers on this host will begin,"
              + " in each directory, at most a quarter of it; 0: none");
  static final Key<Integer> IO_THREADS =
      ALL.number(
          "io.threads", "", "1..256", "threads that serve connections; empty: half the cores");
  static final Key<Integer> CONNECTIONS_MAX =
      ALL.number("connections.max", "20000", "1..1000000", "connections at a time");
  static final Key<Duration> HEARTBEAT =
      ALL.duration("heartbeat", "1s", "10ms..1min", "how often the master hears the worker");
  static final Key<Duration> FULL_DEADLINE =
      ALL.duration(
          "full.deadline",
          "30s",
          "0..1h",
          "how long a writer waits for room when all tiers are full");
  static final Key<String> EVICTION =
      ALL.word(
          "eviction",
          "lru",
          "lru|lfu|lru-2",
          "which blocks leave a tier first: those used longest ago, least often of late, or whose"
              + " last use but one is longest ago, so that a scan pushes nothing out");
  static final Key<Boolean> FAIR =
      ALL.flag(
          "eviction.fair",
          "true",
          "whether blocks of the user who has most in memory leave it first; among one user's, and"
              + " without it, eviction decides");
  static final Key<Integer> PINNED_PERCENT =
      ALL.number(
          "pinned.percent",
          "80",
          "0..100",
          "how much of the memory pinned blocks may have; beyond that they leave it as others do");
  static final Key<Integer> LOCAL_COPIES_PERCENT =
      ALL.number(
          "local.copies.percent",
          "50",
          "0..100",
          "how much of the memory may be used for blocks that other workers have, and that readers on"
              + " this host have left here; they go before all others. 0: none is left");
  static final Key<Integer> COPIES =
      ALL.number("copies", "2", "1..64", "how many complete files are copied to one mount at once");
  static final Key<Integer> COPY_STREAMS =
      ALL.number(
          "copy.streams",
          "32",
          "1..1024",
          "how many copies clients may be writing at once; each takes up to 4m, and a buffer of its"
              + " mount");
  static final Key<Duration> COPY_SILENCE =
      ALL.duration(
          "copy.silence",
          "1min",
          "100ms..1h",
          "a copy of which nothing has come for so long is given up, unless the master says that"
              + " the file is still being written");
  static final Key<Duration> SCRUB =
      ALL.duration(
          "scrub",
          "10s",
          "10ms..1d",
          "a block is looked at each time, all round, whether it is damaged");

  private LineageWorkerKey() {}
}
