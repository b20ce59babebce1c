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

  /** Those of a job, whose tasks create files. */
  public static final KeySet OF_JOBS = new KeySet("sailfish.lineage.");

  static final Key<Boolean> RECORD =
      OF_JOBS.flag(
          "record",
          "true",
          "whether it is recorded how the files are made that tasks of a MapReduce job create, so"
              + " that lost ones can be made again");

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
          "`secret`: client and servers prove to each other who they are: the client by a delegation"
              + " token that the user has, else by the cluster's secret, else by a token that it gets"
              + " with Kerberos; `none`: they do not, and the servers must be set to `none` too");
  static final Key<Optional<Path>> SECRET_FILE =
      ALL.path(
          "cluster.secret.file",
          "",
          "file with the secret that the cluster's daemons share, mode 0600; who can read it may do"
              + " everything, for any user; empty: the user has a token, or Kerberos");
  static final Key<String> KERBEROS_PRINCIPAL =
      ALL.text(
          "kerberos.principal",
          "sailfish/_HOST",
          "with Kerberos: who a master proves to be when it is asked for a token,"
              + " service/host@REALM; `_HOST` stands for the master's host");
  static final Key<String> TLS =
      ALL.word(
          "tls",
          Key.NONE,
          "required|none",
          "`required`: TLS towards masters and workers, which must be set to `required` too");
  static final Key<Optional<Path>> TLS_FILE =
      ALL.path(
          "tls.client.file",
          "",
          "file in the format of Hadoop's ssl-client.xml: which servers the client trusts; empty:"
              + " the one that `hadoop.ssl.client.conf` names, on the class path");
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
  static final Key<Boolean> COPY_LOCAL =
      ALL.flag(
          "copy.local",
          "true",
          "whether a block that is read as a stream, and that only other hosts' workers have, is left"
              + " in the memory of this host's worker, too, if that has room for copies; never where"
              + " `read` is direct. Of one file the option `sailfish.lineage.copy.local` of `openFile`"
              + " says it");
  static final Key<String> UNRECORDED =
      ALL.word(
          "unrecorded",
          "memory",
          "memory|through",
          "`through`: what others write than tasks of MapReduce, whose jobs are recorded, goes into"
              + " both memory and the file system below where one is mounted, because it cannot be"
              + " recomputed; only where `write`, the option of a file and the mount do not say"
              + " more than that it goes into memory");
  static final Key<Duration> LOST_WAIT =
      ALL.duration(
          "lost.wait",
          "10min",
          "0s..30d",
          "how long a reader waits for a file that is lost and can be recomputed; 0: it does not. A"
              + " task of MapReduce waits for less than mapreduce.task.timeout, unless that is 0, or"
              + " mapreduce.task.ping-for-liveliness-check.enabled is set");
  static final Key<String> APPLICATION =
      ALL.text(
          "application",
          "",
          "the YARN application for which a lost file is waited for; empty: that of the process's"
              + " container");
  static final Key<Duration> PATIENCE =
      ALL.duration(
          "patience",
          "1min",
          "1s..1d",
          "how long is tried again when no master answers, or no worker gives a block or"
              + " takes one");

  private LineageKey() {}
}
