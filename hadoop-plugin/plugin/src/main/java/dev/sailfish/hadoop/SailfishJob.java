package dev.sailfish.hadoop;

import dev.sailfish.format.CodecId;
import dev.sailfish.ground.config.HostPort;
import dev.sailfish.ground.config.Settings;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Evidence;
import dev.sailfish.ground.wire.Network;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.Task;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * The Sailfish settings of a job, read from its {@link JobKey}s and checked when a task starts.
 *
 * @param metaservers addresses of all metaservers
 * @param appenderMemoryBytes what a map task may use for the shuffle
 * @param mergerMemoryBytes what a reduce task may use for the shuffle; 0 = a quarter of its heap,
 *     at most {@link #MAX_DEFAULT_MERGER_BYTES}
 * @param chunkBytes capacity of a chunk; 0 = what the metaserver is configured to
 * @param blockBytes size of a block before compression; 0 = from memory and number of partitions
 * @param deadline of every wait for a server
 * @param codec how blocks are compressed
 * @param authenticated whether tasks and servers prove to each other who they are
 * @param publicKey how the metaservers are known, in hex digits; empty: not known
 * @param encrypted whether the job asks for its map output to be encrypted where it rests
 * @param tls whether tasks and servers speak TLS
 */
record SailfishJob(
    List<InetSocketAddress> metaservers,
    long appenderMemoryBytes,
    long mergerMemoryBytes,
    long chunkBytes,
    int blockBytes,
    Duration deadline,
    CodecId codec,
    boolean authenticated,
    String publicKey,
    boolean encrypted,
    boolean tls) {
  static final long MAX_DEFAULT_MERGER_BYTES = 256L << 20;
  private static final int MIB = 1 << 20;

  /**
   * Reads and checks the settings.
   *
   * @throws IllegalArgumentException with key, value, range and what to change
   */
  static SailfishJob of(Configuration conf) {
    Settings settings = new JobSettings(conf);
    boolean authenticated = settings.get(JobKey.AUTHENTICATION).equals("secret");
    boolean encrypted = encrypted(conf);
    if (encrypted && !authenticated) {
      throw settings.wrong(
          JobKey.AUTHENTICATION,
          "says that the job has no key, and map output is to be encrypted with it ("
              + (settings.isSet(JobKey.ENCRYPT_AT_REST)
                  ? JobKey.ENCRYPT_AT_REST.name()
                  : MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA)
              + "=true): give the daemons a cluster secret and set it to secret");
    }
    return new SailfishJob(
        addresses(settings),
        settings.get(JobKey.APPENDER_MEMORY),
        settings.get(JobKey.MERGER_MEMORY),
        settings.get(JobKey.CHUNK_SIZE),
        settings.get(JobKey.BLOCK_SIZE).intValue(),
        settings.get(JobKey.DEADLINE),
        ShuffleCodecs.of(conf),
        authenticated,
        settings.get(JobKey.METASERVER_PUBLIC_KEY),
        encrypted,
        settings.get(JobKey.TLS));
  }

  /** Whether a job asks for its map output to be encrypted. */
  private static boolean encrypted(Configuration conf) {
    Settings settings = new JobSettings(conf);
    return settings.isSet(JobKey.ENCRYPT_AT_REST)
        ? settings.get(JobKey.ENCRYPT_AT_REST)
        : isEncryptedByHadoop(conf);
  }

  private static boolean isEncryptedByHadoop(Configuration conf) {
    return conf.getBoolean(
        MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA,
        MRJobConfig.DEFAULT_MR_ENCRYPTED_INTERMEDIATE_DATA);
  }

  /**
   * Checks that a job whose map output stock Hadoop handles does not wait for encryption that only
   * happens here.
   *
   * @throws IllegalArgumentException with what to change
   */
  static void requireNoneButHadoopEncrypts(Configuration conf) {
    if (encrypted(conf) && !isEncryptedByHadoop(conf)) {
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
  Network network(Configuration conf) throws IOException {
    return tls ? JobTls.network(conf) : Network.SOCKETS;
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
    if (!authenticated) {
      return Credentials.none();
    }
    if (task.getShuffleSecret() == null) {
      throw new IllegalStateException(
          "task has no shuffle secret, and "
              + JobKey.AUTHENTICATION
              + "=secret needs one: attempt="
              + task.getTaskID());
    }
    byte[] secret = task.getShuffleSecret().getEncoded();
    Credentials own = Credentials.ofJob(task.getJobID().toString(), secret).introducedTo(publicKey);
    // Clients get tokens only with security on; else the class that finds them is not loaded.
    Evidence token =
        UserGroupInformation.isSecurityEnabled() && task.getConf() instanceof JobConf conf
            ? JobToken.of(conf.getCredentials(), metaservers)
            : null;
    return token == null ? own : own.with(token);
  }

  /** What the merger of this JVM may use, in bytes. */
  long mergerMemory() {
    if (mergerMemoryBytes > 0) {
      return mergerMemoryBytes;
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
  static String whyStock(Configuration conf) {
    if (MRConfig.LOCAL_FRAMEWORK_NAME.equals(conf.get(MRConfig.FRAMEWORK_NAME))) {
      return MRConfig.FRAMEWORK_NAME + "=" + MRConfig.LOCAL_FRAMEWORK_NAME;
    }
    if (conf.getBoolean("mapreduce.task.uberized", false)) {
      return "it is an uber job";
    }
    String why = whyNotOurs(conf, MRConfig.SHUFFLE_CONSUMER_PLUGIN, SailfishShuffleConsumer.class);
    return why != null
        ? why
        : whyNotOurs(
            conf, MRJobConfig.MAP_OUTPUT_COLLECTOR_CLASS_ATTR, SailfishMapOutputCollector.class);
  }

  private static String whyNotOurs(Configuration conf, String key, Class<?> ours) {
    String[] names = conf.getTrimmedStrings(key);
    if (names.length == 1 && names[0].equals(ours.getName())) {
      return null;
    }
    return key
        + (names.length == 0 ? " is not set" : "=" + String.join(",", names))
        + " and not "
        + ours.getName();
  }

  static List<InetSocketAddress> addresses(Settings settings) {
    List<InetSocketAddress> addresses = new ArrayList<>();
    for (HostPort place : settings.get(JobKey.METASERVER_ADDRESS)) {
      addresses.add(resolved(place));
    }
    return addresses;
  }

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
