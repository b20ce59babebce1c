package dev.sailfish.metaserver;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.RaftConfigKeys;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.util.SizeInBytes;
import org.apache.ratis.util.TimeDuration;

/** How Raft is set up for a journal. */
final class RaftSettings {
  /** What is longer is refused: see {@link RaftJournal#submit}. */
  static final SizeInBytes LONGEST_ENTRY = SizeInBytes.valueOf("33MB");

  /**
   * More than what the leader sends at a time: entries of 33 MB, each with a few bytes around it.
   */
  static final int LONGEST_MESSAGE_BYTES = 40 << 20;

  private static final SizeInBytes WRITE_BUFFER = SizeInBytes.valueOf("34MB");

  /**
   * Of a file of the log. Raft keeps the entries of the last one in memory, as objects that take
   * five times as much, and of those before it as much as {@link #CACHE} says.
   */
  private static final SizeInBytes SEGMENT = SizeInBytes.valueOf("4MB");

  private static final SizeInBytes CACHE = SizeInBytes.valueOf("8MB");
  private static final SizeInBytes PREALLOCATED = SizeInBytes.valueOf("1MB");
  private static final SizeInBytes WAITING_BYTES = SizeInBytes.valueOf("64MB");
  private static final int WAITING_ENTRIES = 4096;
  private static final int KEPT_SNAPSHOTS = 2;

  private RaftSettings() {}

  static RaftProperties of(JournalConfig config, Path directory) {
    RaftProperties properties = new RaftProperties();
    RaftConfigKeys.Rpc.setType(properties, new PeerRpcType());
    election(properties, config.peers().isEmpty() ? 100 : 1000);
    RaftServerConfigKeys.setStorageDir(properties, List.of(directory.toFile()));
    // A process that was suspended goes on; the clock does not count that time.
    RaftServerConfigKeys.setCloseThreshold(properties, TimeDuration.valueOf(1, TimeUnit.DAYS));
    log(properties, config);
    RaftServerConfigKeys.Snapshot.setAutoTriggerEnabled(properties, true);
    RaftServerConfigKeys.Snapshot.setAutoTriggerThreshold(properties, config.snapshotEntries());
    RaftServerConfigKeys.Snapshot.setRetentionFileNum(properties, KEPT_SNAPSHOTS);
    RaftServerConfigKeys.Snapshot.setTriggerWhenStopEnabled(properties, false);
    RaftServerConfigKeys.Read.setOption(properties, RaftServerConfigKeys.Read.Option.LINEARIZABLE);
    RaftServerConfigKeys.Read.setLeaderLeaseEnabled(properties, true);
    // Calls are never sent again under the same number.
    RaftServerConfigKeys.RetryCache.setExpiryTime(
        properties, TimeDuration.valueOf(1, TimeUnit.SECONDS));
    return properties;
  }

  /** A leader that is silent for so long, up to twice as long, is followed by another one. */
  private static void election(RaftProperties properties, int silentMs) {
    RaftServerConfigKeys.Rpc.setTimeoutMin(
        properties, TimeDuration.valueOf(silentMs, TimeUnit.MILLISECONDS));
    RaftServerConfigKeys.Rpc.setTimeoutMax(
        properties, TimeDuration.valueOf(2L * silentMs, TimeUnit.MILLISECONDS));
    RaftServerConfigKeys.Rpc.setRequestTimeout(
        properties, TimeDuration.valueOf(3, TimeUnit.SECONDS));
  }

  private static void log(RaftProperties properties, JournalConfig config) {
    RaftServerConfigKeys.Log.setUnsafeFlushEnabled(properties, !config.sync());
    RaftServerConfigKeys.Log.setLogMetadataEnabled(properties, false);
    RaftServerConfigKeys.Log.setPurgeUptoSnapshotIndex(properties, true);
    RaftServerConfigKeys.Log.setPurgeGap(properties, 1);
    RaftServerConfigKeys.Log.setSegmentSizeMax(properties, SEGMENT);
    RaftServerConfigKeys.Log.setPreallocatedSize(properties, PREALLOCATED);
    RaftServerConfigKeys.Log.setSegmentCacheNumMax(properties, 2);
    RaftServerConfigKeys.Log.setSegmentCacheSizeMax(properties, CACHE);
    RaftServerConfigKeys.Log.setWriteBufferSize(properties, WRITE_BUFFER);
    RaftServerConfigKeys.Log.Appender.setBufferByteLimit(properties, LONGEST_ENTRY);
    RaftServerConfigKeys.Write.setElementLimit(properties, WAITING_ENTRIES);
    RaftServerConfigKeys.Write.setByteLimit(properties, WAITING_BYTES);
    // What may wait in all may wait for the disk: submitting never does.
    RaftServerConfigKeys.Log.setQueueElementLimit(properties, 2 * WAITING_ENTRIES);
    RaftServerConfigKeys.Log.setQueueByteLimit(properties, SizeInBytes.valueOf("128MB"));
  }
}
