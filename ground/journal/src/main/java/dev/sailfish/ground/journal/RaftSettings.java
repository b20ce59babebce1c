package dev.sailfish.ground.journal;

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
  static final int LONGEST_ENTRY_BYTES = 33 << 20;

  /** What a batch and Raft put around it, at most. */
  private static final int AROUND_ENTRY_BYTES = 4 << 10;

  /** More than what the leader sends at a time: entries of 33 MB, with a few bytes around each. */
  static final int LONGEST_MESSAGE_BYTES = 40 << 20;

  /**
   * Of a file of the log. Raft keeps the entries of the last one in memory, as objects that take
   * five times as much, and of those before it as much as {@link #CACHE} says.
   */
  private static final SizeInBytes SEGMENT = SizeInBytes.valueOf("4MB");

  private static final SizeInBytes CACHE = SizeInBytes.valueOf("8MB");

  /**
   * Of a snapshot, sent at a time. Both sides have a few copies of a piece in memory while they
   * have the whole state there, too.
   */
  static final int SNAPSHOT_PIECE_BYTES = 1 << 20;

  private static final int KEPT_SNAPSHOTS = 2;

  /**
   * A leader that is silent for so long is followed by another one, in milliseconds. Each peer
   * waits for a random time between a quarter and a half of it, and looks then whether it has heard
   * nothing for so long: so two waits pass at most.
   */
  static final int LONGEST_SILENCE_MS = 2000;

  /** Nobody is waited for: a peer without others leads as soon as it has read its journal. */
  private static final int LONGEST_SILENCE_ALONE_MS = 400;

  private static final TimeDuration VERY_LONG = TimeDuration.valueOf(1, TimeUnit.DAYS);

  private RaftSettings() {}

  static RaftProperties of(JournalSettings settings, Path directory) {
    RaftProperties properties = new RaftProperties();
    RaftConfigKeys.Rpc.setType(properties, new PeerRpcType());
    election(properties, settings.peers().isEmpty());
    RaftServerConfigKeys.setStorageDir(properties, List.of(directory.toFile()));
    // A process that was suspended goes on; the clock does not count that time.
    RaftServerConfigKeys.setCloseThreshold(properties, VERY_LONG);
    log(properties, settings.sync());
    // The state machine takes them when it has applied so many entries, see RaftStateMachine.
    RaftServerConfigKeys.Snapshot.setAutoTriggerEnabled(properties, false);
    RaftServerConfigKeys.Snapshot.setRetentionFileNum(properties, KEPT_SNAPSHOTS);
    RaftServerConfigKeys.Snapshot.setTriggerWhenStopEnabled(properties, false);
    RaftServerConfigKeys.Read.setOption(properties, RaftServerConfigKeys.Read.Option.LINEARIZABLE);
    RaftServerConfigKeys.Read.setLeaderLeaseEnabled(properties, true);
    // Calls are never sent again under the same number.
    RaftServerConfigKeys.RetryCache.setExpiryTime(
        properties, TimeDuration.valueOf(1, TimeUnit.SECONDS));
    return properties;
  }

  private static void election(RaftProperties properties, boolean isAlone) {
    int longestMs = isAlone ? LONGEST_SILENCE_ALONE_MS : LONGEST_SILENCE_MS;
    RaftServerConfigKeys.Rpc.setTimeoutMin(
        properties, TimeDuration.valueOf(longestMs / 4, TimeUnit.MILLISECONDS));
    RaftServerConfigKeys.Rpc.setTimeoutMax(
        properties, TimeDuration.valueOf(longestMs / 2, TimeUnit.MILLISECONDS));
    RaftServerConfigKeys.Rpc.setRequestTimeout(
        properties, TimeDuration.valueOf(3, TimeUnit.SECONDS));
    // One that was not heard in time may be the only one with the newest entry: without it nobody
    // is elected. By itself Raft keeps it from leading again for 10 s. A leader whose process stood
    // still for so long steps down; one that is alone does not, nobody else would lead.
    RaftServerConfigKeys.LeaderElection.setLeaderStepDownWaitTime(
        properties,
        isAlone ? VERY_LONG : TimeDuration.valueOf(longestMs / 2, TimeUnit.MILLISECONDS));
    // A peer that is down is asked again after this, so it hears of the leader before it looks.
    RaftServerConfigKeys.Rpc.setSleepTime(
        properties, TimeDuration.valueOf(longestMs / 10, TimeUnit.MILLISECONDS));
  }

  private static void log(RaftProperties properties, boolean sync) {
    RaftServerConfigKeys.Log.setUnsafeFlushEnabled(properties, !sync);
    RaftServerConfigKeys.Log.setLogMetadataEnabled(properties, false);
    RaftServerConfigKeys.Log.setPurgeUptoSnapshotIndex(properties, true);
    RaftServerConfigKeys.Log.setPurgeGap(properties, 1);
    RaftServerConfigKeys.Log.setSegmentSizeMax(properties, SEGMENT);
    RaftServerConfigKeys.Log.setPreallocatedSize(properties, SizeInBytes.valueOf("1MB"));
    RaftServerConfigKeys.Log.setSegmentCacheNumMax(properties, 2);
    RaftServerConfigKeys.Log.setSegmentCacheSizeMax(properties, CACHE);
    RaftServerConfigKeys.Log.setWriteBufferSize(properties, SizeInBytes.valueOf("34MB"));
    RaftServerConfigKeys.Log.Appender.setBufferByteLimit(
        properties, SizeInBytes.valueOf(LONGEST_ENTRY_BYTES + AROUND_ENTRY_BYTES));
    RaftServerConfigKeys.Log.Appender.setSnapshotChunkSizeMax(
        properties, SizeInBytes.valueOf(SNAPSHOT_PIECE_BYTES));
    // More than the few batches that are on their way: submitting never waits for the disk.
    RaftServerConfigKeys.Write.setByteLimit(properties, SizeInBytes.valueOf("128MB"));
    RaftServerConfigKeys.Log.setQueueByteLimit(properties, SizeInBytes.valueOf("256MB"));
  }
}
