package dev.sailfish.localcluster;

import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/** What jobs set where the metaserver knows users by their Kerberos tickets. */
public final class KerberosKeys {
  private static final String PRINCIPAL = SailfishOptions.METASERVER_PREFIX + "kerberos.principal";
  private static final String SERVERS = "mapreduce.job.hdfs-servers";
  private static final String FILE_SYSTEM = "fs.sailfish.impl";

  private KerberosKeys() {}

  /**
   * The keys.
   *
   * @param metaserver its configuration
   * @param address its host:port, or that of any of several
   * @return nothing when the metaserver has no Kerberos
   */
  static Map<String, String> of(Map<String, String> metaserver, String address) {
    String principal = metaserver.getOrDefault(PRINCIPAL, "");
    return principal.isEmpty()
        ? Map.of()
        : new TreeMap<>(
            Map.of(
                SERVERS,
                "sailfish://" + address + "/",
                FILE_SYSTEM,
                "dev.sailfish.hadoop.TokenFileSystem",
                PRINCIPAL,
                principal));
  }

  /** The same for a running metaserver of a local cluster. */
  public static Map<String, String> of(ClusterLayout layout, DaemonRecord metaserver) {
    Path file = layout.conf().resolve(metaserver.name() + ".properties");
    Properties properties = new Properties();
    if (Files.exists(file)) {
      try (Reader reader = Files.newBufferedReader(file)) {
        properties.load(reader);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return of(Map.of(PRINCIPAL, properties.getProperty(PRINCIPAL, "")), metaserver.address());
  }
}
