package dev.sailfish.hadoop;

import dev.sailfish.format.CodecId;
import dev.sailfish.ground.config.HostPort;
import dev.sailfish.ground.config.Settings;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Evidence;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.tls.TlsContext;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.Task;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * The Sailfish settings of a job: the values of its {@link JobKey}s in Hadoop's configuration, and
 * what follows from them. For one thread.
 */
public final class SailfishJob extends Settings {
  /**
   * By which a task's configuration has its job's access key among its secrets, when it runs after
   * the end of its job and so has none that its job's client made.
   */
  public static final Text ACCESS_KEY = new Text("sailfish.access.key");

  /**
   * Key: the job whose map output is kept and read by the reduce tasks of this one, by its id at
   * the metaserver. Only jobs that recompute lost files have it.
   */
  public static final String KEPT_JOB = "sailfish.reduce.kept.job";

  /** By which the configuration of their tasks has the access key of that job among its secrets. */
  static final Text KEPT_ACCESS_KEY = new Text("sailfish.kept.access.key");

  /**
   * No map attempt has this number. A reduce task that names it as lost asks for the job's maps,
   * because it cannot read what is kept of the earlier job.
   */
  public static final int NO_ATTEMPT = Integer.MAX_VALUE;

  static final long MAX_DEFAULT_MERGER_BYTES = 256L << 20;

  /** In the environment of reduce tasks whose ApplicationMaster runs lost maps again at once. */
  private static final String MAPS_RUN_AGAIN = "SAILFISH_LOST_MAPS_RUN_AGAIN";

  /** In the environment of reduce tasks whose ApplicationMaster has its maps run. */
  private static final String KEPT_IS_LOST = "SAILFISH_KEPT_OUTPUT_IS_LOST";

  /** As long as {@link JobKey#KEEP_IFILES} may say. */
  private static final Duration KEPT_LONGEST = Duration.ofDays(365);

  private static final int MIB = 1 << 20;

  // By name: a task would load the class of the other side for its class object.
  private static final String COLLECTOR = "dev.sailfish.hadoop.SailfishMapOutputCollector";
  private static final String CONSUMER = "dev.sailfish.hadoop.SailfishShuffleConsumer";

  private final Configuration conf;
  private List<InetSocketAddress> metaservers;

  /** Settings that are checked when they are asked for. */
  SailfishJob(Configuration conf) {
    this.conf = conf;
  }

  /**
   * Settings whose values are checked each for itself: for who neither writes nor reads map output.
   * It may know neither the job's codec, whose class may be the user's, nor the servers.
   *
   * @throws IllegalArgumentException with key, value and range
   */
  public static SailfishJob keys(Configuration conf) {
    SailfishJob job = new SailfishJob(conf);
    JobKey.ALL.check(job);
    return job;
  }

  /**
   * Settings that are checked, as when a task starts.
   *
   * @throws IllegalArgumentException with key, value, range and what to change
   */
  public static SailfishJob of(Configuration conf) {
    SailfishJob job = keys(conf);
    job.metaservers();
    job.codec();
    if (job.encrypted() && !job.authenticated()) {
      throw job.wrong(
          JobKey.AUTHENTICATION,
          "says that the job has no key, and map output is to be encrypted with it ("
              + (job.isSet(JobKey.ENCRYPT_AT_REST)
                  ? JobKey.ENCRYPT_AT_REST.name()
                  : MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA)
              + "=true): give the daemons a cluster secret and set it to secret");
    }
    return job;
  }

  @Override
  protected String find(String name) {
    return conf.get(name);
  }

  /** Addresses of all metaservers, looked up at the first call. */
  public List<InetSocketAddress> metaservers() {
    if (metaservers == null) {
      metaservers = new ArrayList<>();
      for (HostPort place : get(JobKey.METASERVER_ADDRESS)) {
        metaservers.add(resolved(place));
      }
    }
    return metaservers;
  }

  /** How blocks are compressed. */
  CodecId codec() {
    return conf.getBoolean(MRJobConfig.MAP_OUTPUT_COMPRESS, false)
        ? ShuffleCodecs.of(conf)
        : CodecId.NONE;
  }

  /** How long the I-files are asked to be kept when the job has ended, in ms. */
  long keepMs() {
    boolean open = get(JobKey.KEEP_UNTIL_CHECKPOINTED) && !isSet(JobKey.KEEP_IFILES);
    return (open ? KEPT_LONGEST : get(JobKey.KEEP_IFILES)).toMillis();
  }

  /** Whether tasks and servers prove to each other who they are. */
  boolean authenticated() {
    return get(JobKey.AUTHENTICATION).equals("secret");
  }

  /** Whether the job asks for its map output to be encrypted where it rests. */
  boolean encrypted() {
    return get(JobKey.ENCRYPT_AT_REST, isEncryptedByHadoop());
  }

  private boolean isEncryptedByHadoop() {
    return conf.getBoolean(
        MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA,
        MRJobConfig.DEFAULT_MR_ENCRYPTED_INTERMEDIATE_DATA);
  }

  /** Who asks for reduce tasks that are made of the data, as a few words; null: nobody does. */
  public String whyAuto() {
    String queue = conf.get(MRJobConfig.QUEUE_NAME, "default");
    if (isSet(JobKey.REDUCE_WORK)) {
      return get(JobKey.REDUCE_WORK).equals("auto") ? JobKey.REDUCE_WORK + "=auto" : null;
    }
    return get(JobKey.REDUCE_WORK_AUTO_QUEUES).contains(queue) ? "queue " + queue : null;
  }

  /**
   * Has the job's reduce tasks know that a map output which one of them reports as lost is made
   * again at once, and that nobody is blamed for it: for Sailfish's ApplicationMaster, before it
   * makes them. In their environment, which needs neither the job's file nor a class.
   *
   * @param conf of which reduce tasks are started
   */
  public static void tellReducesThatMapsRunAgain(Configuration conf) {
    conf.set(MRJobConfig.REDUCE_ENV + "." + MAPS_RUN_AGAIN, "true");
    conf.set(
        MRJobConfig.MAP_ENV + "." + MAPS_RUN_AGAIN, "true"); // a JVM may run tasks of both kinds
  }

  /** Whether the ApplicationMaster of this reduce task has said so. */
  static boolean mapsRunAgainAtOnce() {
    return System.getenv(MAPS_RUN_AGAIN) != null;
  }

  /**
   * Has reduce tasks that start from now on read what the job's own maps write, in the same way.
   *
   * @param conf of which reduce tasks are started
   */
  public static void tellReducesThatKeptOutputIsLost(Configuration conf) {
    conf.set(MRJobConfig.REDUCE_ENV + "." + KEPT_IS_LOST, "true");
  }

  /** Whether the ApplicationMaster of this reduce task has said so. */
  static boolean keptOutputIsLost() {
    return System.getenv(KEPT_IS_LOST) != null;
  }

  /**
   * How long a chunkserver may refuse connections before maps run again. Stock's ApplicationMaster
   * takes reports of lost output for the fault of the maps and their nodes, so there as long as may
   * be.
   *
   * @param atOnce {@link #mapsRunAgainAtOnce}
   */
  Duration refusalPatience(boolean atOnce) {
    return get(atOnce ? JobKey.REFUSAL_PATIENCE : JobKey.DEADLINE);
  }

  /**
   * Checks that a job whose map output stock Hadoop handles does not wait for encryption that only
   * happens here.
   *
   * @throws IllegalArgumentException with what to change
   */
  static void requireNoneButHadoopEncrypts(Configuration conf) {
    SailfishJob job = new SailfishJob(conf);
    if (job.encrypted() && !job.isEncryptedByHadoop()) {
      throw new IllegalArgumentException(
          JobKey.ENCRYPT_AT_REST
              + "=true, and this job's map output is local files ("
              + whyStock(conf)
              + "): there Hadoop encrypts them itself, with "
              + MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA
              + "=true; or set both plug-in keys to Sailfish's classes and "
              + MRJobConfig.JOB_UBERTASK_ENABLE
              + "=false");
    }
  }

  /**
   * What leads to the servers. Classes of TLS are loaded only where the job asks for them.
   *
   * @throws IOException when the job's keys or trusted certificates cannot be read
   */
  public Network network() throws IOException {
    return get(JobKey.TLS) ? JobTls.network(conf) : Network.SOCKETS;
  }

  /**
   * Keys and trusted certificates of the job, for what speaks HTTPS on its behalf; absent where it
   * asks for no TLS.
   *
   * @throws IOException when they cannot be read
   */
  public Optional<TlsContext> tls() throws IOException {
    return get(JobKey.TLS) ? Optional.of(JobTls.context(conf)) : Optional.empty();
  }

  /**
   * What proves that a task belongs to its job: a key that is made of the secret with which stock
   * reduce tasks prove the same to shuffle handlers. All tasks of a job have it, over all attempts
   * of its AM, and nobody else. With Kerberos also the delegation token in the job's credentials,
   * by which the job is admitted. The metaserver is known by its public key.
   *
   * @throws IllegalStateException when the task has no secret
   */
  Credentials credentials(Task task) {
    byte[] accessKey =
        conf instanceof JobConf job ? job.getCredentials().getSecretKey(ACCESS_KEY) : null;
    if (accessKey != null) {
      return Credentials.ofAdmitted(task.getJobID().toString(), accessKey);
    }
    if (authenticated() && task.getShuffleSecret() == null) {
      throw new IllegalStateException(
          "task has no shuffle secret, and "
              + JobKey.AUTHENTICATION
              + "=secret needs one: attempt="
              + task.getTaskID());
    }
    return authenticated()
        ? credentials(task.getJobID().toString(), task.getShuffleSecret().getEncoded())
        : Credentials.none();
  }

  /**
   * What proves that the ApplicationMaster belongs to its job; see {@link #credentials(Task)}.
   *
   * @param job its id
   * @param secret the job's shuffle secret
   */
  public Credentials credentials(String job, byte[] secret) {
    if (!authenticated()) {
      return Credentials.none();
    }
    Credentials own =
        Credentials.ofJob(job, secret)
            .introducedTo(get(JobKey.METASERVER_PUBLIC_KEY), JobKey.METASERVER_PUBLIC_KEY.name());
    // Clients get tokens only with security on; else the class that finds them is not loaded.
    Evidence token =
        UserGroupInformation.isSecurityEnabled() && conf instanceof JobConf jobConf
            ? JobToken.of(jobConf.getCredentials(), metaservers())
            : null;
    return token == null ? own : own.with(token);
  }

  /**
   * What the merger of this JVM may use, in bytes; when nothing is set a quarter of the heap, at
   * most {@link #MAX_DEFAULT_MERGER_BYTES}.
   */
  long mergerMemory() {
    long set = get(JobKey.MERGER_MEMORY);
    if (set > 0) {
      return set;
    }
    long quarter = Runtime.getRuntime().maxMemory() / 4;
    return Math.max(4L * MIB, Math.min(quarter, MAX_DEFAULT_MERGER_BYTES));
  }

  /**
   * Why stock's own collector and consumer do this job's work, or null when Sailfish does. Map and
   * reduce tasks read the same configuration, so both sides come to the same answer:
   *
   * <ul>
   *   <li>under LocalJobRunner, or inside the AM (uber), map output is handed over as local files;
   *   <li>when one of the two classes is not Sailfish's, the other side would not find the map
   *       output;
   *   <li>when the collector's key lists several classes, each map takes the first that can be
   *       initialized there, and no reduce can know which that was.
   * </ul>
   */
  public static String whyStock(Configuration conf) {
    if (MRConfig.LOCAL_FRAMEWORK_NAME.equals(conf.get(MRConfig.FRAMEWORK_NAME))) {
      return MRConfig.FRAMEWORK_NAME + "=" + MRConfig.LOCAL_FRAMEWORK_NAME;
    }
    if (conf.getBoolean("mapreduce.task.uberized", false)) {
      return "it is an uber job";
    }
    String why = whyNotOurs(conf, MRConfig.SHUFFLE_CONSUMER_PLUGIN, CONSUMER);
    return why != null
        ? why
        : whyNotOurs(conf, MRJobConfig.MAP_OUTPUT_COLLECTOR_CLASS_ATTR, COLLECTOR);
  }

  private static String whyNotOurs(Configuration conf, String key, String ours) {
    String[] names = conf.getTrimmedStrings(key);
    if (names.length == 1 && names[0].equals(ours)) {
      return null;
    }
    return key
        + (names.length == 0 ? " is not set" : "=" + String.join(",", names))
        + " and not "
        + ours;
  }

  /**
   * Looks an address up.
   *
   * @throws IllegalArgumentException when its host has none
   */
  static InetSocketAddress resolved(HostPort place) {
    InetSocketAddress address = new InetSocketAddress(place.host(), place.port());
    if (address.isUnresolved()) {
      throw new IllegalArgumentException(
          JobKey.METASERVER_ADDRESS
              + "="
              + place
              + ": the host name cannot be resolved on this machine");
    }
    return address;
  }
}
