package dev.sailfish.lineage.hadoop;

import dev.sailfish.lineage.client.StoreClient;
import dev.sailfish.lineage.client.StoreClientConfig;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The clients of FileContext, which makes a file system whenever somebody asks for one, and never
 * closes any: so there is one client for each store, user and configuration, as long as the process
 * lives. Thread-safe.
 */
final class ContextClients implements Clients {
  static final ContextClients OF_THIS_PROCESS = new ContextClients();

  private final Map<List<Object>, StoreClient> clients = new HashMap<>();

  @Override
  public synchronized StoreClient of(
      StoreSettings settings, StoreClientConfig config, String authority) {
    List<Object> identity = new ArrayList<>(settings.values());
    identity.add(settings.masters(authority));
    identity.add(config.user());
    return clients.computeIfAbsent(identity, key -> new StoreClient(config));
  }

  /** Others may use it still, and the next FileContext will. */
  @Override
  public void giveBack(StoreClient client) {}
}
