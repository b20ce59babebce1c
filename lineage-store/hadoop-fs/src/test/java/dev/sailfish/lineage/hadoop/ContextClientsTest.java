package dev.sailfish.lineage.hadoop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.lineage.client.StoreClient;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.Test;

class ContextClientsTest {
  private static final UserGroupInformation ALICE = user("alice", "staff");

  private final ContextClients clients = new ContextClients();
  private final Configuration conf = new Configuration(false);

  ContextClientsTest() {
    conf.set(LineageKey.AUTHENTICATION.name(), "none");
    conf.set(LineageKey.MASTERS + ".store", "a:19868");
  }

  private static UserGroupInformation user(String name, String... groups) {
    return UserGroupInformation.createUserForTesting(name, groups);
  }

  private StoreClient of(String authority, UserGroupInformation user) throws IOException {
    StoreSettings settings = new StoreSettings(conf);
    return clients.of(settings, settings.client(authority, user), authority);
  }

  @Test
  void oneClientIsForOneStoreUserAndConfiguration() throws IOException {
    StoreClient client = of("store", ALICE);
    clients.giveBack(client);
    assertThat(of("store", ALICE)).isSameAs(client);
    assertThat(of("a", user("alice", "staff"))).isSameAs(client);
    assertThat(of("b", ALICE)).isNotSameAs(client);
    assertThat(of(null, ALICE)).isNotSameAs(client);
    assertThat(of("store", user("alice"))).isNotSameAs(client);
    assertThat(of("store", user("bob", "staff"))).isNotSameAs(client);
    conf.set(LineageKey.PATIENCE.name(), "5s");
    assertThat(of("store", ALICE)).isNotSameAs(client);
  }
}
