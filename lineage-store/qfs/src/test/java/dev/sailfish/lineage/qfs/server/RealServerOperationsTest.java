package dev.sailfish.lineage.qfs.server;

import dev.sailfish.ground.config.HostPort;
import dev.sailfish.lineage.qfs.QfsSettings;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** The same operations against the QFS whose metaserver is at {@code QFS_META}. */
@EnabledIfEnvironmentVariable(
    named = "QFS_META",
    matches = ".+",
    disabledReason = "QFS_META=host:port names no QFS with at least two chunkservers")
class RealServerOperationsTest extends OperationsSuite {
  @Override
  QfsSettings settings() {
    return QfsSettings.of(HostPort.parse(System.getenv("QFS_META")));
  }
}
