package dev.sailfish.lineage.qfs.server;

import dev.sailfish.lineage.qfs.QfsSettings;
import dev.sailfish.testkit.qfs.QfsTestServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Every operation against the tests' server. */
class TestServerOperationsTest extends OperationsSuite {
  private static QfsTestServer qfs;

  @BeforeAll
  static void start() {
    qfs = QfsTestServer.start();
  }

  @AfterAll
  static void stop() {
    qfs.close();
  }

  @Override
  QfsSettings settings() {
    return Clients.settings(qfs);
  }
}
