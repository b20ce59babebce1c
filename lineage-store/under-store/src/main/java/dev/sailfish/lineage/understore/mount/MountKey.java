package dev.sailfish.lineage.understore.mount;

import dev.sailfish.ground.config.Key;
import dev.sailfish.ground.config.KeySet;
import java.time.Duration;

/** The options of a mount. */
public final class MountKey {
  /** All of them; names that begin with {@link Mount#HADOOP} or {@link Mount#CREATE} are others. */
  public static final KeySet ALL = new KeySet("");

  public static final Key<Boolean> READ_ONLY =
      ALL.flag("read.only", "false", "whether nothing is written, renamed or deleted below");

  public static final Key<String> WRITE =
      ALL.word(
          "write",
          "memory",
          "memory|bypass|through",
          "where new files go: into memory alone, below alone, or into both before they are complete");

  public static final Key<String> READ =
      ALL.word(
          "read",
          "mixed",
          "memory|direct|mixed",
          "where blocks come from that are not in memory: nowhere, from below without keeping them, or"
              + " from below into memory");

  public static final Key<Duration> SYNC =
      ALL.duration(
          "sync",
          "10s",
          "0s..1d",
          "how long what was seen below is taken for true, before it is looked at again");

  public static final Key<Long> CACHE_BLOCK =
      ALL.size(
          "cache.block.size",
          "32m",
          "64k..1g",
          "size of the blocks into which files are loaded; rounded up to a power of two");

  public static final Key<Long> BUFFER =
      ALL.size(
          "buffer",
          "4m",
          "64k..64m",
          "how many bytes are read or written below with one call; rounded up to whole stripes");

  public static final Key<Long> CLIENT_BUFFER =
      ALL.size(
          "client.buffer",
          "1m",
          "64k..64m",
          "buffer of an application's stream on a file of this mount");

  public static final Key<Long> BLOCK_SIZE =
      ALL.size(
          "block.size", "0", "0|1m..16g", "size of the blocks of copies; 0: the under store's own");

  public static final Key<Long> STRIPE_SIZE =
      ALL.size(
          "stripe.size",
          "0",
          "0|4k..64m",
          "size of the stripes of a parallel file system: copies are written in whole ones; 0: none");

  public static final Key<String> RENAME =
      ALL.word(
          "rename",
          "auto",
          "auto|atomic|not.atomic",
          "whether a file is renamed in one step; auto: on a local file system, on HDFS and on QFS");

  public static final Key<Duration> DEADLINE =
      ALL.duration(
          "deadline", "30s", "10ms..1h", "how long a call below may take, or one buffer of a file");

  public static final Key<Duration> COMMIT_DEADLINE =
      ALL.duration(
          "commit.deadline",
          "10min",
          "10ms..1d",
          "how long the end of a copy may take: what is still to be sent, sync and rename; and a"
              + " rename or a recursive delete");

  public static final Key<Integer> THREADS =
      ALL.number(
          "threads", "8", "1..256", "how many calls are made at once, those that hang included");

  public static final Key<Integer> WAITING =
      ALL.number(
          "waiting", "64", "1..4096", "how many calls may wait for a thread; more are refused");

  public static final Key<Integer> STREAMS =
      ALL.number(
          "streams", "16", "1..1024", "how many files may be open at once; more are refused");

  private MountKey() {}
}
