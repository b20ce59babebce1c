package dev.sailfish.lineage.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.kerberos.DelegationTokenRequest;
import dev.sailfish.ground.wire.kerberos.DelegationTokenRequest.Issued;
import dev.sailfish.ground.wire.secret.ClusterSecret;
import dev.sailfish.ground.wire.token.DelegationToken;
import dev.sailfish.kdc.TestKdc;
import dev.sailfish.lineage.protocol.LineageService;
import dev.sailfish.lineage.protocol.wire.StoreUser;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import javax.security.auth.Subject;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Users with tickets of a real KDC, who get tokens of a master. */
@Timeout(120)
class KerberosUsersTest {
  private static final Duration DEADLINE = Duration.ofSeconds(20);
  private static final String SERVICE = "sailfish/localhost";
  private static final String PRINCIPAL = "sailfish/_HOST@" + TestKdc.REALM;

  @TempDir static Path directory;
  private static TestKdc kdc;
  private static TestStore store;
  private static byte[] secret;
  private static Subject alice;
  private static Subject oozie;

  @BeforeAll
  static void start() throws Exception {
    kdc = TestKdc.start(Files.createDirectory(directory.resolve("kdc")));
    Path file = directory.resolve("secret");
    ClusterSecret.create(file);
    secret = ClusterSecret.read("test", file);
    alice = TestKdc.login("alice", kdc.keytab("alice"));
    oozie = TestKdc.login("oozie/localhost", kdc.keytab("oozie/localhost"));
    store =
        new TestStore(
            directory,
            Map.of("authentication", "secret", "cluster.secret.file", file.toString()),
            Map.of(
                "kerberos.principal",
                PRINCIPAL,
                "kerberos.keytab",
                kdc.keytab(SERVICE).toString(),
                "kerberos.proxy.users",
                "oozie",
                "token.lifetime",
                "1h"));
    store.startWorker(1);
    store
        .client(Credentials.ofCluster(secret), TestStore.ROOT, Set.of())
        .namespace()
        .setMode("/", 0777);
  }

  @AfterAll
  static void stop() throws IOException {
    store.close();
    kdc.close();
  }

  private static Issued ask(Subject user, String owner) throws IOException {
    DelegationTokenRequest request =
        new DelegationTokenRequest(
            LineageService.GET_DELEGATION_TOKEN, "test", PRINCIPAL, owner, "yarn");
    return TestKdc.as(user, () -> request.ask(Network.SOCKETS, store.masters(), DEADLINE));
  }

  private static StoreClient client(Issued token, String user) {
    return store.client(
        Credentials.ofToken(token.identifier(), token.password()),
        StoreUser.newBuilder().setName(user).build(),
        Set.of("localhost"));
  }

  @Test
  void aTicketIsGoodForATokenAndThatForFiles() throws IOException {
    Issued token = ask(alice, "");
    DelegationToken said = DelegationToken.of(token.identifier());
    assertThat(said.owner()).isEqualTo("alice");
    assertThat(said.renewer()).isEqualTo("yarn");
    assertThat(said.expiresMs() - said.issuedMs()).isEqualTo(Duration.ofHours(1).toMillis());
    StoreClient client = client(token, "alice");
    byte[] hello = "hello".getBytes(StandardCharsets.US_ASCII);
    try (FileOutput output = client.create(TestStore.file("/of-alice"))) {
      output.write(hello);
    }
    assertThat(client.namespace().stat("/of-alice").getOwner()).isEqualTo("alice");
    try (FileInput input = client.open("/of-alice")) {
      assertThat(input.readAllBytes()).isEqualTo(hello);
    }
  }

  @Test
  void aServiceGetsTokensForOthersIfItMay() throws IOException {
    Issued token = ask(oozie, "alice");
    assertThat(client(token, "alice").namespace().stat("/").getDirectory()).isTrue();
    assertThatThrownBy(() -> ask(alice, "oozie"))
        .isInstanceOfSatisfying(
            RemoteException.class, e -> assertThat(e.status()).isEqualTo(Status.FORBIDDEN))
        .hasMessageContaining("sailfish.lineage.master.kerberos.proxy.users");
  }

  @Test
  void whoHasNoTicketGetsNone() {
    assertThatThrownBy(() -> ask(new Subject(), "")).hasMessageContaining("Kerberos");
  }
}
