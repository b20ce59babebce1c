package dev.sailfish.hadoop;

import org.apache.hadoop.conf.Configuration;

/** The Sailfish keys of a job's configuration, with what may be set. */
public enum JobKey {
  /** Address of the metaserver. */
  METASERVER_ADDRESS(
      "sailfish.metaserver.address",
      "localhost:19850",
      "host:port",
      "where the metaserver is, or all of them with commas between"),
  /** How tasks know the metaserver. */
  METASERVER_PUBLIC_KEY(
      "sailfish.metaserver.public.key",
      "",
      "64 hex digits",
      "how tasks know the metaservers when they introduce the job to them; `bin/sailfish env` prints"
          + " it"),
  /** Whether servers and tasks prove to each other who they are. */
  AUTHENTICATION(
      "sailfish.authentication",
      "secret",
      "word",
      "`secret`: tasks and servers prove to each other that they know the job's key; `none`: they do"
          + " not, and the servers must be set to `none` too"),
  /** Who the metaserver is in Kerberos. */
  KERBEROS_PRINCIPAL(
      "sailfish.metaserver.kerberos.principal",
      "sailfish/_HOST",
      "service/host@REALM, _HOST = the metaserver's host",
      "with Kerberos: who the metaserver proves to be when a job client asks it for a token; without"
          + " a realm, that of krb5.conf"),
  /** Whether map output is encrypted where it rests. */
  ENCRYPT_AT_REST(
      "sailfish.encrypt.at.rest",
      "",
      "true or false, empty = as `mapreduce.job.encrypted-intermediate-data` says",
      "whether map output is encrypted where it rests: in chunks, in memory or on disk, and in files"
          + " of reduce tasks; needs `sailfish.authentication=secret`. Unlike Hadoop's own key it"
          + " leaves the number of attempts of the ApplicationMaster as it is"),

  /** Whether tasks speak TLS. */
  TLS(
      "sailfish.tls",
      "false",
      "true or false",
      "whether tasks and servers speak TLS; the servers must be set to `tls=required` then. Keys are"
          + " where the file says that `hadoop.ssl.client.conf` names, ssl-client.xml on the class path"
          + " of tasks, as for Hadoop's own encrypted shuffle"),
  /** Memory of a map task for the shuffle. */
  APPENDER_MEMORY(
      "sailfish.iappender.memory.mb",
      64,
      8,
      4096,
      "MiB",
      "what a map task may use for the shuffle"),
  /** Size of a block. */
  BLOCK(
      "sailfish.iappender.block.kb",
      0,
      0,
      65536,
      "KiB, 0 = chosen",
      "size of a block before compression; chosen: from the memory and the number of partitions"),
  /** Memory of a reduce task for the shuffle. */
  MERGER_MEMORY(
      "sailfish.imerger.memory.mb",
      0,
      0,
      65536,
      "MiB, 0 = a quarter of the heap",
      "what a reduce task may use for the shuffle; the quarter is 4 MiB at least and 256 MiB at"
          + " most"),
  /** Capacity of a chunk. */
  CHUNK(
      "sailfish.chunk.mb",
      0,
      0,
      1024,
      "MiB, 0 = the metaserver's default",
      "bytes of records that a chunk of this job holds"),
  /** Deadline of every wait for a server. */
  DEADLINE(
      "sailfish.client.deadline.s",
      120,
      1,
      86400,
      "seconds",
      "how long a task tries to reach a server, or to have a block taken, before it fails");

  private final String key;
  private final String defaultText;
  private final boolean number;
  private final long fallback;
  private final long least;
  private final long most;
  private final String unit;
  private final String meaning;

  JobKey(String key, String defaultText, String unit, String meaning) {
    this.key = key;
    this.defaultText = defaultText;
    this.number = false;
    this.fallback = 0;
    this.least = 0;
    this.most = 0;
    this.unit = unit;
    this.meaning = meaning;
  }

  JobKey(String key, long fallback, long least, long most, String unit, String meaning) {
    this.key = key;
    this.defaultText = Long.toString(fallback);
    this.number = true;
    this.fallback = fallback;
    this.least = least;
    this.most = most;
    this.unit = unit;
    this.meaning = meaning;
  }

  /** The whole key, as users write it. */
  public String key() {
    return key;
  }

  /** The unit, and what 0 stands for. */
  public String unit() {
    return unit;
  }

  /** The value when none is given. */
  public String defaultText() {
    return defaultText;
  }

  /** The smallest and the largest value; empty for texts. */
  public String range() {
    return number ? least + ".." + most : "";
  }

  /** What it is for. */
  public String meaning() {
    return meaning;
  }

  /** The value as a text. */
  String text(Configuration conf) {
    return conf.getTrimmed(key, defaultText);
  }

  /**
   * The value as a whole number.
   *
   * @throws IllegalArgumentException with key, value, range and what to change
   */
  long number(Configuration conf) {
    String text = conf.getTrimmed(key);
    if (text == null || text.isEmpty()) {
      return fallback;
    }
    try {
      long value = Long.parseLong(text);
      if (value >= least && value <= most) {
        return value;
      }
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(wrong(text, " is not a number"), e);
    }
    throw new IllegalArgumentException(wrong(text, " is out of range"));
  }

  private String wrong(String text, String what) {
    return key + "=" + text + what + ": set it to " + range() + " (" + unit + ")";
  }
}
