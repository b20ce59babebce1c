package dev.sailfish.hadoop;

import dev.sailfish.ground.config.HostPort;
import dev.sailfish.ground.config.Key;
import dev.sailfish.ground.config.KeySet;
import java.time.Duration;
import java.util.List;

/** The Sailfish keys of a job's configuration. */
public final class JobKey {
  /** All keys; foreign are those of the local cluster, and what reduce tasks are told. */
  public static final KeySet ALL =
      new KeySet(
          "sailfish.",
          "application.master",
          "reduce.work.partitions",
          "reduce.work.first.partition",
          "reduce.work.last.partition",
          "reduce.kept.job");

  static final Key<List<HostPort>> METASERVER_ADDRESS =
      ALL.addresses(
          "metaserver.address",
          "localhost:19850",
          "",
          "where the metaserver is, or all of them with commas between");
  static final Key<String> METASERVER_PUBLIC_KEY =
      ALL.text(
          "metaserver.public.key",
          "",
          "64 hex digits: how tasks know the metaservers when they introduce the job to them;"
              + " `bin/sailfish env` prints it");
  static final Key<String> AUTHENTICATION =
      ALL.word(
          "authentication",
          "secret",
          "secret|none",
          "`secret`: tasks and servers prove to each other that they know the job's key; `none`:"
              + " they do not, and the servers must be set to `none` too");
  static final Key<String> KERBEROS_PRINCIPAL =
      ALL.text(
          "metaserver.kerberos.principal",
          "sailfish/_HOST",
          "with Kerberos: who the metaserver proves to be when a job client asks it for a token,"
              + " service/host@REALM; `_HOST` stands for the metaserver's host, and without a realm"
              + " it is that of krb5.conf");
  static final Key<Boolean> ENCRYPT_AT_REST =
      ALL.flag(
          "encrypt.at.rest",
          "",
          "whether map output is encrypted where it rests: in chunks, in memory or on disk, and in"
              + " files of reduce tasks; needs `sailfish.authentication=secret`. Unlike Hadoop's own"
              + " key it leaves the number of attempts of the ApplicationMaster as it is. Empty: as"
              + " `mapreduce.job.encrypted-intermediate-data` says");
  static final Key<Boolean> TLS =
      ALL.flag(
          "tls",
          "false",
          "whether tasks and servers speak TLS; the servers must be set to `tls=required` then."
              + " Keys are where the file says that `hadoop.ssl.client.conf` names, ssl-client.xml"
              + " on the class path of tasks, as for Hadoop's own encrypted shuffle");
  static final Key<Long> APPENDER_MEMORY =
      ALL.size(
          "iappender.memory", "64m", "8m..4g", "memory that a map task may use for the shuffle");
  static final Key<Long> BLOCK_SIZE =
      ALL.size(
          "iappender.block.size",
          "0",
          "0|1k..64m",
          "size of a block before compression; 0 = chosen from the memory and the number of"
              + " partitions");
  static final Key<Long> MERGER_MEMORY =
      ALL.size(
          "imerger.memory",
          "0",
          "0|1m..64g",
          "memory that a reduce task may use for the shuffle; 0 = a quarter of the heap, 4 MiB at"
              + " least and 256 MiB at most");
  static final Key<Duration> REFUSAL_PATIENCE =
      ALL.duration(
          "imerger.refusal.patience",
          "2s",
          "0s..1d",
          "with Sailfish's ApplicationMaster: how long a reduce task tries to reach a chunkserver"
              + " that refuses connections before maps run again; in other jobs, and at most,"
              + " `sailfish.client.deadline`");
  static final Key<Long> CHUNK_SIZE =
      ALL.size(
          "chunk.size",
          "0",
          "0|1m..1g",
          "records that a chunk of this job holds; 0 = the metaserver's default");
  public static final Key<Duration> KEEP_IFILES =
      ALL.duration(
          "keep.ifiles",
          "0s",
          "0s..365d",
          "how long I-files and manifests are kept when the job has ended, for `bin/sailfish ifile"
              + " scan`, `bin/sailfish reduce` and recomputed outputs in the lineage store; at most"
              + " as long as the metaserver's `keep.max`, shorter when room is short, counted in the"
              + " user's quota; 0s = they go with the job");
  public static final Key<Boolean> KEEP_UNTIL_CHECKPOINTED =
      ALL.flag(
          "keep.ifiles.until.checkpointed",
          "false",
          "I-files and manifests are kept for lost outputs in the lineage store, which are made"
              + " again of them without maps, until all outputs of the job are checkpointed or"
              + " deleted; at most as long as `sailfish.keep.ifiles` says, where that is not set as"
              + " long as the metaserver's `keep.max`");
  public static final Key<Duration> DEADLINE =
      ALL.duration(
          "client.deadline",
          "2min",
          "1s..1d",
          "how long a task tries to reach a server, or to have a block taken, before it fails");
  static final Key<String> REDUCE_WORK =
      ALL.word(
          "reduce.work",
          "",
          "fixed|auto",
          "`fixed`: exactly the reduce tasks that the job asks for; `auto`: as many as its data is"
              + " worth, which needs Sailfish's ApplicationMaster. Empty: as"
              + " `sailfish.reduce.work.auto.queues` says");
  static final Key<List<String>> REDUCE_WORK_AUTO_QUEUES =
      ALL.list(
          "reduce.work.auto.queues",
          "",
          "queues with commas between; jobs in them have `auto` where they do not say");
  public static final Key<Long> REDUCE_WORK_TARGET =
      ALL.size(
          "reduce.work.target",
          "0",
          "0|1k..1t",
          "with `auto`: records, before compression, that one reduce task shall have; 0 = reckoned"
              + " from what the job's maps have cost and how many tasks can run at once");
  public static final Key<Integer> REDUCE_WORK_MOST =
      ALL.number("reduce.work.most", "10000", "1..1000000", "with `auto`: the most reduce tasks");
  public static final Key<Boolean> REDUCE_WORK_COALESCE =
      ALL.flag(
          "reduce.work.coalesce",
          "true",
          "with `auto`: whether a reduce task may get several small partitions, one after the other;"
              + " `false`: partitions are split only");
  public static final Key<String> REDUCE_WORK_PLANS =
      ALL.text(
          "reduce.work.plans",
          "",
          "with `auto`: directory, in any of the cluster's file systems, where a copy of each job's"
              + " plan is kept, and nobody deletes it; empty: plans go with their jobs");
  public static final Key<String> WEB_ADDRESS =
      ALL.text(
          "web.address",
          "",
          "http://host:port or https://host:port of the web process, which Sailfish's"
              + " ApplicationMaster tells the job's plan, and what is lost and runs again; it needs"
              + " no answer. Empty: nothing is told");

  public static final Key<String> WARM_TASKS =
      ALL.word(
          "am.warm.tasks",
          "isolated",
          "isolated|shared|off",
          "with Sailfish's ApplicationMaster: whether a container runs task after task in one JVM;"
              + " `isolated`: each task has its own class loader for the user's classes; `shared`:"
              + " they stay, with their static state; `off`: a JVM for each task, as Hadoop's own");
  public static final Key<List<String>> WARM_OFF_QUEUES =
      ALL.list(
          "am.warm.off.queues",
          "",
          "queues with commas between; jobs in them have `off`, whatever they say");
  public static final Key<Duration> WARM_LOCALITY_DELAY =
      ALL.duration(
          "am.warm.locality.delay",
          "500ms",
          "0s..1h",
          "how long a warm container waits for a map with its data on the same node, then again for"
              + " one on the same rack, before it takes any");
  public static final Key<Duration> WARM_IDLE =
      ALL.duration(
          "am.warm.idle",
          "5s",
          "0s..1h",
          "how long a warm container without a task is kept before it is given back");
  public static final Key<Integer> WARM_MOST_TASKS =
      ALL.number("am.warm.most.tasks", "200", "1..1000000", "how many tasks one JVM may run");
  public static final Key<Duration> WARM_AGE =
      ALL.duration("am.warm.age", "10min", "1s..1d", "a container of that age gets no other task");
  public static final Key<Duration> WARM_AGE_FULL =
      ALL.duration(
          "am.warm.age.full",
          "30s",
          "0s..1d",
          "the same where the ResourceManager has nothing left for the job: it decides anew who"
              + " gets the container, as it does after each task without warm tasks");
  public static final Key<Integer> WARM_HEAP_LEFT =
      ALL.number(
          "am.warm.heap.left",
          "50",
          "1..100",
          "percent of the largest heap that may be in use after a task; with more, its JVM ends");

  public static final Key<Integer> EARLY_HEARTBEATS =
      ALL.number(
          "am.early.heartbeats",
          "30",
          "0..1000",
          "with Sailfish's ApplicationMaster: how often it may call the ResourceManager in a row"
              + " before its next heartbeat, where a job waits for a container; each heartbeat"
              + " gives one back. 0: never");

  public static final Key<Long> SHORT_JVM_BYTES =
      ALL.size(
          "am.short.jvm.bytes",
          "128m",
          "0|1k..1024g",
          "with Sailfish's ApplicationMaster: the JVM of a task that is likely to see up to so many"
              + " bytes of input is started with flags for short ones, above all without the second"
              + " compiler, where the job's options say nothing of that; 0: none");

  private JobKey() {}
}
