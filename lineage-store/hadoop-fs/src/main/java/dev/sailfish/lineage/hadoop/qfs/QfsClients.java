package dev.sailfish.lineage.hadoop.qfs;

import dev.sailfish.lineage.qfs.QfsClient;
import dev.sailfish.lineage.qfs.QfsSettings;
import java.util.HashMap;
import java.util.Map;

/** Where file systems have their clients from. Thread-safe. */
interface QfsClients {
  /** Each file system has its own, and ends it. */
  QfsClients OWN =
      new QfsClients() {
        @Override
        public QfsClient of(QfsSettings settings) {
          return QfsClient.connect(settings);
        }

        @Override
        public void giveBack(QfsClient client) {
          client.close();
        }
      };

  /** Those of FileContext. */
  QfsClients OF_THIS_PROCESS = new OfThisProcess();

  /** A client for one file system, which gives it back. */
  QfsClient of(QfsSettings settings);

  /** The file system does not use the client any more. */
  void giveBack(QfsClient client);

  /**
   * For FileContext, which makes a file system whenever somebody asks for one, and never closes
   * any: so there is one client for each QFS, user and configuration, as long as the process lives.
   */
  final class OfThisProcess implements QfsClients {
    private final Map<QfsSettings, QfsClient> clients = new HashMap<>();

    private OfThisProcess() {}

    @Override
    public synchronized QfsClient of(QfsSettings settings) {
      return clients.computeIfAbsent(settings, QfsClient::connect);
    }

    /** Others may use it still, and the next FileContext will. */
    @Override
    public void giveBack(QfsClient client) {}
  }
}
