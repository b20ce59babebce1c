package dev.sailfish.protocol.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.sailfish.protocol.Handshake;
import dev.sailfish.protocol.RemoteException;
import dev.sailfish.protocol.Status;
import dev.sailfish.protocol.wire.AuthenticateRequest;
import dev.sailfish.protocol.wire.HelloResponse;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** The client's side of the handshake, without a socket. */
class CredentialsTest {
  private static final byte[] SECRET = "secret of the task".getBytes(StandardCharsets.US_ASCII);
  private static final Credentials TASK = Credentials.ofJob("job_1", SECRET);
  private static final byte[] KEY = Handshake.jobKey(SECRET, "job_1");

  private final byte[] clientNonce = Handshake.nonce();
  private final byte[] serverNonce = Handshake.nonce();

  private HelloResponse.Builder hello() {
    return HelloResponse.newBuilder()
        .setServerNonce(ByteString.copyFrom(serverNonce))
        .setServerProof(
            ByteString.copyFrom(Handshake.serverProof(KEY, "job job_1", clientNonce, serverNonce)));
  }

  private void assertRefused(Credentials credentials, HelloResponse.Builder hello, String why) {
    assertThatThrownBy(() -> credentials.answer(hello.build(), clientNonce, "server s"))
        .isInstanceOfSatisfying(
            RemoteException.class, e -> assertThat(e.status()).isEqualTo(Status.UNAUTHENTICATED))
        .hasMessageContaining("server s")
        .hasMessageContaining(why);
  }

  @Test
  void answersAServerThatKnowsTheKey() throws RemoteException {
    AuthenticateRequest answer = TASK.answer(hello().build(), clientNonce, "server s");
    assertThat(answer.getClientProof().toByteArray())
        .isEqualTo(Handshake.clientProof(KEY, "job job_1", clientNonce, serverNonce));
    assertThat(answer.getJobKey().isEmpty()).isTrue();
  }

  @Test
  void refusesAServerThatDoesNotKnowTheKey() {
    assertRefused(Credentials.ofJob("job_1", new byte[] {1}), hello(), "did not prove");
    assertRefused(Credentials.ofJob("job_2", SECRET), hello(), "did not prove");
    assertRefused(Credentials.ofCluster(SECRET), hello(), "did not prove");
    assertRefused(TASK, hello().clearServerProof(), "did not prove");
    byte[] ours = Handshake.clientProof(KEY, "job job_1", clientNonce, serverNonce);
    assertRefused(TASK, hello().setServerProof(ByteString.copyFrom(ours)), "did not prove");
    byte[] old = Handshake.serverProof(KEY, "job job_1", Handshake.nonce(), serverNonce);
    assertRefused(TASK, hello().setServerProof(ByteString.copyFrom(old)), "did not prove");
  }

  @Test
  void hasTheKeyOfItsDataAndOfNoOther() {
    byte[] jobKey = new byte[32];
    for (int i = 0; i < jobKey.length; i++) {
      jobKey[i] = (byte) i;
    }
    assertThat(Handshake.dataKey(jobKey, "job_1_0001"))
        .isEqualTo(
            HexFormat.of()
                .parseHex("bef70d97b498ced19a06d4c29bd7df16623ba033f705c44c8f549b021833514d"));
    assertThat(TASK.dataKey()).isEqualTo(Handshake.dataKey(KEY, "job_1")).isNotEqualTo(KEY);
    assertThat(Credentials.ofJob("job_2", SECRET).dataKey()).isNotEqualTo(TASK.dataKey());
    assertThatThrownBy(Credentials.none()::dataKey).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(Credentials.ofCluster(SECRET)::dataKey)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("credentials=cluster");
  }

  @Test
  void refusesAServerThatAuthenticatesNobody() {
    assertRefused(TASK, HelloResponse.newBuilder(), "authenticates nobody");
    assertRefused(
        TASK, hello().setServerNonce(ByteString.copyFrom(new byte[3])), "nonce of length=3");
  }

  @Test
  void givesItsKeyOnlyWhereTheJobMayBeNew() throws RemoteException {
    HelloResponse.Builder wanted = hello().clearServerProof().setKeyWanted(true);
    assertRefused(TASK, wanted, "asks for it");
    assertRefused(Credentials.ofCluster(SECRET), wanted, "asks for it");
    AuthenticateRequest answer = TASK.introducing().answer(wanted.build(), clientNonce, "server s");
    assertThat(answer.getJobKey().toByteArray()).isEqualTo(KEY);
    assertThat(TASK.introducing().answer(hello().build(), clientNonce, "server s").getJobKey())
        .isEmpty();
  }

  @Test
  void showsNoKey() {
    assertThat(TASK.toString()).isEqualTo("job job_1");
    assertThat(Credentials.ofCluster(SECRET).toString()).isEqualTo("cluster");
    assertThat(Credentials.none().isKeyed()).isFalse();
  }
}
