package dev.sailfish.workflow.kept;

import dev.sailfish.ground.config.HostPort;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.protocol.wire.JobSummary;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What metaservers keep of jobs that have ended, for who has the cluster's secret. Each call asks
 * over a connection of its own. Thread-safe.
 */
public final class KeptIfiles {
  private static final Logger LOG = LoggerFactory.getLogger(KeptIfiles.class);
  private static final String ADDRESS = "sailfish.metaserver.address";
  private static final String AUTHENTICATION = "sailfish.authentication";
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final Network network;
  private final Credentials credentials;

  /**
   * I-files of one job.
   *
   * @param id of the job at its metaserver
   * @param accessKey with which they are read; empty where nobody is authenticated
   */
  public record Kept(String id, Optional<byte[]> accessKey) {}

  /**
   * @param credentials of the cluster
   */
  public KeptIfiles(Network network, Credentials credentials) {
    this.network = network;
    this.credentials = credentials;
  }

  /**
   * What is kept of a job of MapReduce. Empty also when no metaserver says so, which the log tells:
   * nobody has to have it.
   *
   * @param conf says where metaservers are, and whether they authenticate
   * @param job its name, {@code job_1_1}
   * @param user whose job it was
   */
  public Optional<Kept> find(Configuration conf, String job, String user) {
    try (MetaserverClient metaserver = client(conf)) {
      List<JobSummary> found =
          metaserver.listJobs().getJobsList().stream()
              .filter(one -> one.getKept() && one.getUser().equals(user))
              .filter(one -> nameOf(one).equals(job))
              .toList();
      if (found.size() != 1) {
        return Optional.empty(); // of two with one name nobody knows which is meant
      }
      String id = found.get(0).getJob();
      return Optional.of(
          new Kept(
              id,
              isAuthenticated(conf) ? Optional.of(metaserver.accessKey(id)) : Optional.empty()));
    } catch (IOException e) {
      LOG.warn("Maps of {} will run, as no metaserver says what it keeps: {}", job, e.toString());
      return Optional.empty();
    }
  }

  /** The name of a job: of several with one name others have a tilde and more in their ids. */
  static String nameOf(JobSummary job) {
    int tilde = job.getJob().indexOf('~');
    return tilde < 0 ? job.getJob() : job.getJob().substring(0, tilde);
  }

  /** Whether a configuration says where metaservers are. */
  static boolean areIn(Configuration conf) {
    return conf.get(ADDRESS) != null;
  }

  /** Does not connect yet. */
  MetaserverClient client(Configuration conf) throws IOException {
    String places = conf.get(ADDRESS, "");
    try {
      List<InetSocketAddress> addresses =
          HostPort.parseAll(places).stream()
              .map(place -> new InetSocketAddress(place.host(), place.port()))
              .toList();
      return new MetaserverClient(
          conf.getBoolean("sailfish.tls", false) ? network : Network.SOCKETS,
          addresses,
          "workflow manager",
          isAuthenticated(conf) ? credentials : Credentials.none(),
          PATIENCE);
    } catch (IllegalArgumentException e) {
      throw new IOException(ADDRESS + "=" + places + " cannot be used: " + e.getMessage(), e);
    }
  }

  private static boolean isAuthenticated(Configuration conf) {
    return !conf.get(AUTHENTICATION, "secret").equals("none");
  }
}
