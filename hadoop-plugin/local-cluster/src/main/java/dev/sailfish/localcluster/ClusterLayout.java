package dev.sailfish.localcluster;

import dev.sailfish.ground.wire.tls.SslFile;
import dev.sailfish.ground.wire.tls.TlsContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where a local cluster keeps what, all below one work directory.
 *
 * <pre>
 *   cluster.json   processes, ports, logs (see ClusterState)
 *   lock           held while a cluster is being started
 *   session.lock   held by the one command that measures on the cluster
 *   secret         the cluster's secret, mode 0600, new at each start
 *   conf/          generated *-site.xml, log4j.properties, *.properties of the Sailfish daemons;
 *                  with TLS ssl-client.xml, a copy of what the chunkservers were given
 *   logs/          one file per daemon and per job client; containers/ those of YARN's containers
 *   data/          NodeManager's local directories, staging, job history, chunks on disk
 *   corpus/        text that jobs read
 *   history/       what the web process keeps of jobs; stays when the cluster is started again
 * </pre>
 *
 * @param home the work directory, absolute
 */
public record ClusterLayout(Path home) {
  public ClusterLayout {
    home = home.toAbsolutePath().normalize();
  }

  Path stateFile() {
    return home.resolve("cluster.json");
  }

  Path startLock() {
    return home.resolve("lock");
  }

  Path sessionLock() {
    return home.resolve("session.lock");
  }

  /** The cluster's secret, which daemons and commands prove to know. */
  public Path secret() {
    return home.resolve("secret");
  }

  /** Generated configuration: what {@code HADOOP_CONF_DIR} names for everybody on this cluster. */
  public Path conf() {
    return home.resolve("conf");
  }

  /** Which servers clients trust; there only when the cluster's daemons speak TLS. */
  public Path tlsClientFile() {
    return conf().resolve("ssl-client.xml");
  }

  /**
   * How clients reach the cluster's daemons, as their context of TLS; absent when they speak none.
   */
  public Optional<TlsContext> tls() {
    Path file = tlsClientFile();
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    try {
      String named = "TLS file of the local cluster";
      return Optional.of(TlsContext.ofClient(named + "=" + file, SslFile.read(named, file)));
    } catch (IOException e) {
      throw new CommandException(e.getMessage() + ".", e);
    }
  }

  /** Logs of daemons and job clients. */
  public Path logs() {
    return home.resolve("logs");
  }

  /** Logs of YARN's containers: one directory per application, one per container in it. */
  public Path containerLogs() {
    return logs().resolve("containers");
  }

  /** Everything that lives as long as the cluster does. */
  public Path data() {
    return home.resolve("data");
  }

  /** The NodeManager's local directory: what is of a job lies below its user and application. */
  public Path nodeManagerLocal() {
    return data().resolve("nodemanager");
  }

  /** Text for jobs; stays when the cluster is started again. */
  public Path corpus() {
    return home.resolve("corpus");
  }

  /** The database of the web process; stays when the cluster is started again. */
  Path history() {
    return home.resolve("history");
  }

  /** Input or output of a benchmark's job. */
  public Path bench(String name) {
    return data().resolve("bench").resolve(name);
  }
}
