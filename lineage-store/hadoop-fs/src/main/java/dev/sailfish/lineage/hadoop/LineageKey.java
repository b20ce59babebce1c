package dev.sailfish.lineage.hadoop;

import dev.sailfish.ground.config.HostPort;
import dev.sailfish.ground.config.Key;
import dev.sailfish.ground.config.KeySet;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The keys of the lineage store in Hadoop's configuration. */
public final class LineageKey {
  /** All of them; {@link #MASTERS} has more beside it, one for each name of a store. */
  public static final KeySet ALL = new KeySet("sailfish.lineage.client.");

  static final Key<List<HostPort>> MASTERS =
      ALL.addresses(
          "masters",
          "localhost:19868",
          "",
          "all masters of `lineage:///`, with commas between; with `.NAME` behind the key, those of"
              + " `lineage://NAME/`");
  static final Key<String> AUTHENTICATION =
      ALL.word(
          "authentication",
          "secret",
          "secret|none",
          "`secret`: client and servers prove to each other that they know the cluster's secret;"
              + " `none`: they do not, and the servers must be set to `none` too");
  static final Key<Optional<Path>> SECRET_FILE =
      ALL.path(
          "cluster.secret.file",
          "",
          "file with the secret that the cluster's daemons share, mode 0600; who can read it may do"
              + " everything, for any user");
  static final Key<String> SUPERUSER =
      ALL.text("superuser", "sailfish", "name of the user to whom everything is permitted");
  static final Key<List<String>> HOSTS =
      ALL.list(
          "hosts",
          "",
          "what workers on the client's host are called, the most usual name first, with commas"
              + " between; their files are read and written without a network. Empty: this host's"
              + " names, and localhost");
  static final Key<Long> BLOCK_SIZE =
      ALL.size(
          "block.size",
          "64m",
          "64k..1g",
          "size of the blocks of a file whose writer does not say another one, rounded up to a power"
              + " of two; what a writer says is rounded up too, and is 64k at least and 1g at most");
  static final Key<Long> BUFFER_SIZE =
      ALL.size(
          "buffer.size",
          "1m",
          "64k..64m",
          "memory between the application and the store for each file that is read or written, a"
              + " multiple of 64k");
  static final Key<String> WRITE =
      ALL.word(
          "write",
          "as.mounted",
          "as.mounted|memory|bypass|through",
          "where the bytes of new files go: as their mount says; into memory alone; below alone; into"
              + " both before they are complete. Of one file the option `sailfish.lineage.write` of"
              + " `createFile` says it");
  static final Key<String> READ =
      ALL.word(
          "read",
          "as.mounted",
          "as.mounted|memory|direct|mixed",
          "where blocks come from that no worker has, of files that are below: as their mount says;"
              + " from nowhere; from below, without being kept; from below into memory. Of one file"
              + " the option `sailfish.lineage.read` of `openFile` says it");
  static final Key<Duration> PATIENCE =
      ALL.duration(
          "patience",
          "1min",
          "1s..1d",
          "how long is tried again when no master answers, or no worker gives a block");

  private LineageKey() {}
}
