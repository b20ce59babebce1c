package dev.sailfish.lineage.hadoop;

import dev.sailfish.lineage.client.StoreClient;
import dev.sailfish.lineage.client.StoreClientConfig;

/** Where file systems have their clients from. Thread-safe. */
interface Clients {
  /** Each file system has its own, and ends it. */
  Clients OWN =
      new Clients() {
        @Override
        public StoreClient of(StoreSettings settings, StoreClientConfig config, String authority) {
          return new StoreClient(config);
        }

        @Override
        public void giveBack(StoreClient client) {
          client.close();
        }
      };

  /**
   * A client for one file system, which gives it back.
   *
   * @param settings of the file system
   * @param config what they say
   * @param authority of the file system; may be null
   */
  StoreClient of(StoreSettings settings, StoreClientConfig config, String authority);

  /** The file system does not use the client any more. */
  void giveBack(StoreClient client);
}
