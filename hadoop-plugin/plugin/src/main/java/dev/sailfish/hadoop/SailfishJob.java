package dev.sailfish.hadoop;

import dev.sailfish.format.CodecId;
import dev.sailfish.protocol.client.Credentials;
import dev.sailfish.protocol.client.Evidence;
import dev.sailfish.protocol.client.Network;
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
    boolean authenticated = authenticated(JobKey.AUTHENTICATION.text(conf));
    boolean encrypted = encrypted(conf);
    if (encrypted && !authenticated) {
      throw new IllegalArgumentException(
          "map output is to be encrypted ("
              + encryptionSetting(conf)
              + "), which needs the job's key, and "
              + JobKey.AUTHENTICATION.key()
              + "=none says that there is none: give the daemons a cluster secret and set it to"
              + " secret");
    }
    return new SailfishJob(
        addresses(JobKey.METASERVER_ADDRESS.text(conf)),
        JobKey.APPENDER_MEMORY.number(conf) * MIB,
        JobKey.MERGER_MEMORY.number(conf) * MIB,
        JobKey.CHUNK.number(conf) * MIB,
        (int) JobKey.BLOCK.number(conf) << 10,
        Duration.ofSeconds(JobKey.DEADLINE.number(conf)),
        ShuffleCodecs.of(conf),
        authenticated,
        JobKey.METASERVER_PUBLIC_KEY.text(conf),
        encrypted,
        speaksTls(JobKey.TLS.text(conf)));
  }

  /** Whether a job asks for its map output to be encrypted. */
  private static boolean encrypted(Configuration conf) {
    String text = JobKey.ENCRYPT_AT_REST.text(conf);
    if (text.isEmpty()) {
      return isEncryptedByHadoop(conf);
    }
    if (text.equals("true") || text.equals("false")) {
      return text.equals("true");
    }
    throw new IllegalArgumentException(
        JobKey.ENCRYPT_AT_REST.key() + "=" + text + " must be true or false");
  }

  private static boolean isEncryptedByHadoop(Configuration conf) {
    return conf.getBoolean(
        MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA,
        MRJobConfig.DEFAULT_MR_ENCRYPTED_INTERMEDIATE_DATA);
  }

  private static String encryptionSetting(Configuration conf) {
    String text = JobKey.ENCRYPT_AT_REST.text(conf);
    return text.isEmpty()
        ? MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA + "=true"
        : JobKey.ENCRYPT_AT_REST.key() + "=" + text;
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
          JobKey.ENCRYPT_AT_REST.key()
              + "=true, and this job's map output is local files ("
              + whyStock(conf)
              + "): there Hadoop encrypts them itself, with "
              + MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA
              + "=true; or set both plug-in keys to Sailfish's classes and "
              + MRJobConfig.JOB_UBERTASK_ENABLE
              + "=false");
    }
  }

  static boolean speaksTls(String text) {
    if (text.equals("true") || text.equals("false")) {
      return text.equals("true");
    }
    throw new IllegalArgumentException(JobKey.TLS.key() + "=" + text + " must be true or false");
  }

  /**
   * What leads to the servers. Classes of TLS are loaded only where the job asks for them.
   *
   * @throws IOException when the job's keys or trusted certificates cannot be read
   */
  Network network(Configuration conf) throws IOException {
    return tls ? JobTls.network(conf) : Network.SOCKETS;
  }

  private static boolean authenticated(String text) {
    if (text.equals("secret") || text.equals("none")) {
      return text.equals("secret");
    }
    throw new IllegalArgumentException(
        JobKey.AUTHENTICATION.key() + "=" + text + " must be secret or none");
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
              + JobKey.AUTHENTICATION.key()
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

  static List<InetSocketAddress> addresses(String list) {
    List<InetSocketAddress> addresses = new ArrayList<>();
    for (String text : list.split(",")) {
      addresses.add(address(text.strip()));
    }
    return addresses;
  }

  private static InetSocketAddress address(String text) {
    int colon = text.lastIndexOf(':');
    int port = -1;
    if (colon > 0) {
      try {
        port = Integer.parseInt(text.substring(colon + 1));
      } catch (NumberFormatException e) {
        port = -1;
      }
    }
    if (port < 1 || port > 65535) {
      throw new IllegalArgumentException(
          JobKey.METASERVER_ADDRESS.key()
              + "="
              + text
              + " is no address: set it to host:port of the metaserver, or of all of them with commas");
    }
    InetSocketAddress address = new InetSocketAddress(text.substring(0, colon), port);
    if (address.isUnresolved()) {
      throw new IllegalArgumentException(
          JobKey.METASERVER_ADDRESS.key()
              + "="
              + text
              + ": the host name cannot be resolved on this machine");
    }
    return address;
  }
}
