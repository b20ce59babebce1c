package dev.sailfish.metaserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.ground.server.ServerMetric;
import dev.sailfish.ground.wire.Connection;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.PayloadReply;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.message.JournalRequest;
import dev.sailfish.ground.wire.secret.ClusterSecret;
import dev.sailfish.ground.wire.tls.SslFile;
import dev.sailfish.ground.wire.tls.TlsNetwork;
import dev.sailfish.metaserver.state.CoreFixture;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.testkit.TestAuthority;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The same with a cluster secret and TLS on all links, those between metaservers among them. */
class SecureFailoverTest extends FailoverTest {
  private static final String ACCEPTED = ServerMetric.CONNECTIONS_ACCEPTED.fullName();

  @TempDir static Path keys;
  private static byte[] secret;
  private static Path clientFile;
  private static Map<String, String> security;

  @BeforeAll
  static void makeKeys() throws IOException {
    Path secretFile = keys.resolve("secret");
    ClusterSecret.create(secretFile);
    secret = ClusterSecret.read("secret", secretFile);
    TestAuthority authority = TestAuthority.create(Files.createDirectory(keys.resolve("tls")));
    clientFile = authority.clientFile();
    security =
        new HashMap<>(
            authority.daemon(
                "", authority.serverFile(authority.issue("metaserver"), false), clientFile));
    security.put("cluster.secret.file", secretFile.toString());
  }

  @Override
  Map<String, String> security() {
    return security;
  }

  @Override
  Credentials credentials() {
    return Credentials.ofCluster(secret);
  }

  @Override
  Network network() throws IOException {
    return TlsNetwork.open("test", SslFile.read("test", clientFile));
  }

  private Connection connect(String id) throws IOException {
    return Connection.open(
        network(),
        new InetSocketAddress("127.0.0.1", metaserver(id).port()),
        "test",
        credentials(),
        DEADLINE);
  }

  @Test
  void whoDoesNotKnowTheSecretIsNoPeer() throws IOException {
    String leader = leader();
    String replaced = ids.stream().filter(id -> !id.equals(leader)).findFirst().orElseThrow();
    stop(replaced);
    Path otherSecret = keys.resolve("other-secret");
    ClusterSecret.create(otherSecret);
    Map<String, String> forged = new HashMap<>(security);
    forged.put("cluster.secret.file", otherSecret.toString());
    start(replaced, directory.resolve("forged"), forged);
    Metaserver stranger = metaserver(replaced);
    Metaserver leading = metaserver(leader);
    // Both try to tell each other something all the time: the leader its entries, the stranger that
    // it wants to lead. Each leaves as soon as the other has not proved that it knows the secret.
    long before = leading.metrics().get(ACCEPTED);
    await()
        .atMost(DEADLINE)
        .until(
            () ->
                leading.metrics().get(ACCEPTED) > before + 3
                    && stranger.metrics().get(ACCEPTED) > 3);
    register();
    List<String> honest = ids.stream().filter(id -> !id.equals(replaced)).toList();
    try (MetaserverClient client = client(honest)) {
      again(() -> client.createIfiles(CoreFixture.job("job_1_1", 1).build()));
      commit(client, 0, bind(client, 0));
    }
    assertThat(stranger.leads()).isFalse();
    assertThat(stranger.metrics()).containsEntry(MetaserverMetric.JOBS.fullName(), 0L);
    assertThat(metaserver(leader()).metrics()).containsEntry(MetaserverMetric.JOBS.fullName(), 1L);
  }

  /** Sends what a journal should refuse, and returns the status with which it does. */
  private static Status tell(Connection connection, int code, byte[] message) throws IOException {
    PayloadReply reply = new PayloadReply();
    connection.send(
        IfileService.JOURNAL,
        JournalRequest.newBuilder().setMessage(code).build(),
        reply,
        ByteBuffer.wrap(message));
    while (!reply.ended()) {
      connection.poll();
    }
    assertThat(reply.error()).as("answer to message %d", code).isNotNull();
    return reply.error().status();
  }

  @Test
  void garbageFromTheClusterIsRefusedAndHarmsNobody() throws IOException {
    String leader = leader();
    try (Connection connection = connect(leader)) {
      for (int code = 0; code <= 6; code++) {
        Status expected = code == 0 || code >= 5 ? Status.BAD_REQUEST : Status.INTERNAL;
        assertThat(tell(connection, code, new byte[] {7, 7, 7})).isEqualTo(expected);
        assertThat(tell(connection, code, new byte[0])).isEqualTo(expected);
      }
    }
    assertThat(metaserver(leader).leads()).isTrue();
    try (MetaserverClient client = client()) {
      again(() -> client.createIfiles(CoreFixture.job("job_1_1", 1).build()));
    }
  }
}
