package dev.sailfish.metaserver;

import dev.sailfish.ground.config.Key;
import dev.sailfish.ground.config.KeySet;
import dev.sailfish.ground.replica.JournalKeys;
import dev.sailfish.ground.server.ServerKeys;
import dev.sailfish.ground.server.kerberos.KerberosKeys;
import dev.sailfish.ground.server.racks.RackKeys;
import dev.sailfish.metaserver.rpc.Admissions;
import java.time.Duration;
import java.util.List;

/** The metaserver's configuration keys. */
public final class MetaserverKey {
  /** What the names of all keys begin with. */
  public static final String PREFIX = "sailfish.metaserver.";

  /** All keys; two more with the same prefix are of jobs, and one file may have both. */
  public static final KeySet ALL = new KeySet(PREFIX, "address", "public.key");

  static final Key<String> HOST =
      ALL.text("host", "0.0.0.0", "address to listen on, for both ports");
  static final Key<Integer> PORT =
      ALL.number("port", "19850", "0..65535", "port for tasks and chunkservers; 0 = any free one");
  public static final ServerKeys SERVER = ServerKeys.of(ALL, "19851");
  static final Key<Integer> IO_THREADS =
      ALL.number("io.threads", "2", "1..256", "threads that serve connections");
  static final Key<Integer> CONNECTIONS_MAX =
      ALL.number(
          "connections.max",
          "20000",
          "1..1000000",
          "connections at a time; further ones are closed at once");
  static final Key<Integer> CONNECTIONS_UNAUTHENTICATED_MAX =
      ALL.number(
          "connections.unauthenticated.max",
          "1024",
          "4..1000000",
          "connections at a time whose callers have not proved who they are, a quarter of it from"
              + " one address; past it the oldest one is closed");
  static final Key<Long> CHUNK_SIZE =
      ALL.size("chunk.size", "128m", "1m..1g", "records a chunk holds when its job names no size");
  static final Key<Long> RESERVATION =
      ALL.size(
          "reservation",
          "1m",
          "4k..1g",
          "part of a chunk that one bound appender reserves; chunk size / this = appenders per"
              + " chunk");
  static final Key<Duration> LEASE =
      ALL.duration(
          "lease",
          "10min",
          "100ms..36500d",
          "after how long a job that nobody names is deleted with its chunks");
  static final Key<Duration> DEAD_AFTER =
      ALL.duration(
          "dead.after",
          "30s",
          "100ms..1d",
          "after how long a silence a chunkserver and its chunks are given up");
  static final Key<Duration> DEAD_AFTER_MASS =
      ALL.duration(
          "dead.after.mass",
          "5min",
          "100ms..1d",
          "after how long a silence a chunkserver is given up while half of them or more, or all,"
              + " are silent; until then only those are whose port refuses connections; counts as"
              + " dead.after at least");
  static final Key<Duration> KEEP_MAX =
      ALL.duration(
          "keep.max",
          "1d",
          "0s..365d",
          "how long the I-files of an ended job are kept at most, when its `sailfish.keep.ifiles`"
              + " asks for that; 0s = not at all");
  public static final Key<Long> USER_MAX_SIZE =
      ALL.size(
          "user.max.size",
          "0",
          "0..",
          "what the jobs of one user, live or kept, may store on all chunkservers together;"
              + " past it no appender of the user is bound to a chunk; 0 = no limit");
  public static final Key<Integer> USER_MAX_IFILES =
      ALL.number(
          "user.max.ifiles",
          "0",
          "0..2147483647",
          "I-files, one per partition, that the jobs of one user, live or kept, may have together; a"
              + " job that would need more is refused; 0 = no limit");
  public static final Key<Long> MANIFESTS_MAX_SIZE =
      ALL.size(
          "manifests.max.size",
          "0",
          "0..",
          "memory that the manifests of all jobs may take, outside of the heap; a job that would"
              + " need more fails; 0 = three quarters of the heap, or the heap less 96 MiB if that"
              + " is less");
  public static final Key<Long> MANIFESTS_JOB_MAX_SIZE =
      ALL.size(
          "manifests.job.max.size",
          "0",
          "0..",
          "memory that the manifests of one job may take; 0 = nine tenths of manifests.max.size");
  public static final JournalKeys JOURNAL =
      JournalKeys.of(ALL, Metaserver.NAME, "running jobs then fail");
  public static final RackKeys RACKS = RackKeys.of(ALL);
  public static final Key<List<String>> RESOURCEMANAGER =
      ALL.list(
          "resourcemanager",
          "",
          "[https://]host:port of the ResourceManager's web address, or of all of them with commas"
              + " between; when set, jobs of living applications are admitted, and a job is deleted"
              + " as soon as its application has ended. Trusted over https is whom"
              + " tls.client.file names, else whom the JVM trusts");
  public static final Key<List<String>> ADMISSION =
      ALL.list(
          "admission",
          Admissions.RESOURCEMANAGER + "|" + Admissions.TOKEN,
          "what admits a new job: `resourcemanager`, its application is alive; `token`, it has a"
              + " delegation token, which needs Kerberos. A ticket and the cluster secret always"
              + " do. Empty: token with Kerberos, else resourcemanager");
  public static final KerberosKeys KERBEROS = KerberosKeys.of(ALL, "metaserver", "admits jobs");
  static final Key<Duration> REHEARSAL =
      ALL.duration(
          "rehearsal",
          "1s",
          "0..1min",
          "how much CPU time a process that has just started may use to ask itself what tasks ask"
              + " for, so that its code is compiled when the first job comes; it ends when one"
              + " comes, and after ten times as long. 0: none");
  static final Key<String> ENCRYPT_AT_REST =
      ALL.word(
          "encrypt.at.rest",
          "allowed",
          "allowed|required",
          "`allowed`: map output is encrypted where it rests if its job asks for that; `required`:"
              + " of all new jobs, which needs authentication");

  private MetaserverKey() {}
}
