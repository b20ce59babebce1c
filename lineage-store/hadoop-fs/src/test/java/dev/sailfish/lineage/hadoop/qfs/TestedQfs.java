package dev.sailfish.lineage.hadoop.qfs;

import dev.sailfish.testkit.qfs.QfsTestServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * A QFS for tests: the one of the testkit, which the tests of one JVM share and whose superuser is
 * the user of this process; or one that runs somewhere.
 *
 * @param uri its root
 * @param directory where tests may do what they like
 * @param isOurs whether nobody else uses it
 */
record TestedQfs(URI uri, String directory, boolean isOurs) {
  /** Names the metaserver of a real one. */
  static final String VARIABLE = "QFS_META";

  /** Why its tests are skipped. */
  static final String REASON = "QFS_META=host:port names no metaserver of a QFS that runs";

  private static QfsTestServer server;

  static synchronized QfsTestServer server() {
    if (server == null) {
      server = QfsTestServer.start();
      Runtime.getRuntime().addShutdownHook(new Thread(server::close));
    }
    return server;
  }

  static TestedQfs ours() {
    return new TestedQfs(URI.create("qfs://127.0.0.1:" + server().metaPort(0)), "/", true);
  }

  static TestedQfs real() {
    return new TestedQfs(
        URI.create("qfs://" + System.getenv(VARIABLE)),
        "/sailfish-test-" + ProcessHandle.current().pid(),
        false);
  }

  /** For the user of this process. */
  Configuration configuration() {
    Configuration conf = new Configuration();
    conf.set("fs.AbstractFileSystem.qfs.impl", QfsFs.class.getName());
    conf.set("fs.defaultFS", uri.toString());
    conf.set("sailfish.qfs.patience", "20s");
    conf.set("sailfish.qfs.users", "foo=65534:65534"); // as Hadoop's tests call another user
    if (isOurs) {
      conf.set(
          "sailfish.qfs.users", userOfThisProcess() + "=0:0,ordinary=1000:100,foo=65534:65534");
      conf.set("sailfish.qfs.groups", "users=100");
    }
    return conf;
  }

  private static String userOfThisProcess() {
    try {
      return UserGroupInformation.getLoginUser().getShortUserName();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
