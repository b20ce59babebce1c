package dev.sailfish.ground.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.sailfish.ground.wire.introduction.IntroductionBox;
import dev.sailfish.ground.wire.introduction.JobTicket;
import dev.sailfish.ground.wire.introduction.ServerKey;
import dev.sailfish.ground.wire.message.AuthenticateRequest;
import dev.sailfish.ground.wire.message.AuthenticateResponse;
import dev.sailfish.ground.wire.message.HelloResponse;
import dev.sailfish.ground.wire.message.Ticket;
import dev.sailfish.ground.wire.secret.Handshake;
import dev.sailfish.ground.wire.secret.HmacSha256;
import dev.sailfish.ground.wire.secret.SealedKey;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The client's side of the handshake, without a socket. */
class CredentialsTest {
  private static final byte[] SECRET = "secret of the task".getBytes(StandardCharsets.US_ASCII);
  private static final Credentials TASK = Credentials.ofJob("job_1", SECRET);
  private static final byte[] KEY = Handshake.taskKey(SECRET, "job_1");

  private static final byte[] ACCESS_KEY = Handshake.random(32);
  private static final ServerKey SERVERS =
      ServerKey.of("cluster secret".getBytes(StandardCharsets.US_ASCII));

  private final byte[] clientNonce = Handshake.nonce();
  private final byte[] serverNonce = Handshake.nonce();

  private HelloResponse.Builder hello() {
    return HelloResponse.newBuilder()
        .setServerNonce(ByteString.copyFrom(serverNonce))
        .setServerProof(
            ByteString.copyFrom(
                Handshake.serverProof(KEY, "task job_1", clientNonce, serverNonce)));
  }

  private void assertRefused(Credentials credentials, HelloResponse.Builder hello, String why) {
    assertThatThrownBy(() -> credentials.answer(hello.build(), clientNonce, "server s"))
        .isInstanceOfSatisfying(
            RemoteException.class, e -> assertThat(e.status()).isEqualTo(Status.UNAUTHENTICATED))
        .hasMessageContaining("server s")
        .hasMessageContaining(why);
  }

  @Test
  void answersAServerThatKnowsTheKey() throws IOException {
    AuthenticateRequest answer = TASK.answer(hello().build(), clientNonce, "server s");
    assertThat(answer.getClientProof().toByteArray())
        .isEqualTo(Handshake.clientProof(KEY, "task job_1", clientNonce, serverNonce));
    assertThat(answer.getBox().isEmpty()).isTrue();
    assertThat(TASK.introduces(hello().build(), "server s")).isFalse();
  }

  @Test
  void refusesAServerThatDoesNotKnowTheKey() {
    assertRefused(Credentials.ofJob("job_1", new byte[] {1}), hello(), "did not prove");
    assertRefused(Credentials.ofJob("job_2", SECRET), hello(), "did not prove");
    assertRefused(Credentials.ofCluster(SECRET), hello(), "did not prove");
    assertRefused(TASK, hello().clearServerProof(), "did not prove");
    byte[] ours = Handshake.clientProof(KEY, "task job_1", clientNonce, serverNonce);
    assertRefused(TASK, hello().setServerProof(ByteString.copyFrom(ours)), "did not prove");
    byte[] old = Handshake.serverProof(KEY, "task job_1", Handshake.nonce(), serverNonce);
    assertRefused(TASK, hello().setServerProof(ByteString.copyFrom(old)), "did not prove");
  }

  @Test
  void hasTheKeyOfItsDataAndOfNoOther() throws IOException {
    byte[] jobKey = new byte[32];
    for (int i = 0; i < jobKey.length; i++) {
      jobKey[i] = (byte) i;
    }
    assertThat(Handshake.dataKey(jobKey, "job_1_0001"))
        .isEqualTo(
            HexFormat.of()
                .parseHex("bef70d97b498ced19a06d4c29bd7df16623ba033f705c44c8f549b021833514d"));
    Credentials task = Credentials.ofJob("job_1", SECRET);
    assertThatThrownBy(task::dataKey).isInstanceOf(IllegalStateException.class);
    task.learn(told("job_1~0a", KEY), null, session(), "server s");
    assertThat(task.dataKey())
        .isEqualTo(Handshake.dataKey(ACCESS_KEY, "job_1~0a"))
        .isNotEqualTo(ACCESS_KEY);
    assertThatThrownBy(Credentials.none()::dataKey).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(Credentials.ofCluster(SECRET)::dataKey)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("credentials=cluster");
  }

  @Test
  void signsWithTheAccessKeyOnceItIsKnown() throws IOException {
    byte[] said = "what is said".getBytes(StandardCharsets.US_ASCII);
    Credentials task = Credentials.ofJob("job_1", SECRET);
    assertThatThrownBy(() -> task.sign(said)).isInstanceOf(IllegalStateException.class);
    task.learn(told("job_1~0a", KEY), null, session(), "server s");
    assertThat(task.sign(said)).isEqualTo(HmacSha256.of(ACCESS_KEY, said));
    assertThat(Credentials.ofAdmitted("job_1~0a", ACCESS_KEY).sign(said, said))
        .isEqualTo(HmacSha256.of(ACCESS_KEY, said, said));
    assertThatThrownBy(() -> Credentials.none().sign(said))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void refusesAServerThatAuthenticatesNobody() {
    assertRefused(TASK, HelloResponse.newBuilder(), "authenticates nobody");
    assertRefused(
        TASK, hello().setServerNonce(ByteString.copyFrom(new byte[3])), "nonce of length=3");
  }

  private byte[] session() {
    byte[] session = Arrays.copyOf(clientNonce, 2 * Handshake.NONCE_LENGTH);
    System.arraycopy(serverNonce, 0, session, Handshake.NONCE_LENGTH, Handshake.NONCE_LENGTH);
    return session;
  }

  private AuthenticateResponse told(String job, byte[] with) {
    SealedKey sealed = SealedKey.seal(with, session(), job, ACCESS_KEY);
    return AuthenticateResponse.newBuilder()
        .setJob(job)
        .setSalt(sealed.salt())
        .setSealedKey(sealed.sealed())
        .setMac(sealed.mac())
        .build();
  }

  @Test
  void introducesItsJobToThoseWithThePrivateKeyOnly() throws IOException {
    Credentials task =
        Credentials.ofJob("job_1", SECRET).introducedTo(SERVERS.publicText(), "test.key");
    HelloResponse wants = hello().clearServerProof().setIntroduce(true).build();
    assertThat(task.introduces(wants, "server s")).isTrue();
    IntroductionBox box = task.introduce(session(), "server s");
    AuthenticateRequest request = box.request();
    assertThat(request.getClientProof()).isEmpty();
    byte[] bytes = request.toByteArray();
    String hex = HexFormat.of().formatHex(bytes);
    assertThat(hex).as("the key in the clear").doesNotContain(HexFormat.of().formatHex(KEY));
    IntroductionBox.Opened opened = open(SERVERS, request, "task job_1");
    assertThat(opened.introduction().getTaskKey().toByteArray()).isEqualTo(KEY);
    assertThat(opened.introduction().getNamesKey()).isTrue();
    ServerKey impostor = ServerKey.of("another secret".getBytes(StandardCharsets.US_ASCII));
    assertThatThrownBy(() -> open(impostor, request, "task job_1")).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> open(SERVERS, request, "task job_2")).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> task.learn(told("job_1", KEY), box.key(), session(), "server s"))
        .hasMessageContaining("did not prove that it admits jobs to this cluster")
        .hasMessageContaining("is test.key that of this cluster");
    assertThatThrownBy(() -> task.jobId("job_1")).isInstanceOf(IllegalStateException.class);
    task.learn(told("job_1~0a", opened.key()), box.key(), session(), "server s");
    assertThat(task.jobId("job_1")).isEqualTo("job_1~0a");
    assertThat(task.current().toString()).isEqualTo("job job_1~0a");
    assertThat(task.current().isTask()).isFalse();
  }

  private IntroductionBox.Opened open(ServerKey key, AuthenticateRequest request, String principal)
      throws IOException {
    return IntroductionBox.open(
        key,
        request.getEphemeralKey().toByteArray(),
        principal,
        session(),
        request.getBox().toByteArray());
  }

  @Test
  void makesNothingThatAShortSecretCouldBeGuessedFrom() throws IOException {
    byte[] secret = {1, 2, 3, 4, 5, 6, 7, 8};
    Credentials task =
        Credentials.ofJob("job_1", secret).introducedTo(SERVERS.publicText(), "test.key");
    assertThat(task.hello(clientNonce).getKeyId()).isEmpty();
    assertThat(TASK.hello(clientNonce).getKeyId().toByteArray())
        .isEqualTo(Handshake.keyId(KEY))
        .hasSize(Handshake.KEY_ID_LENGTH);
    byte[] key = Handshake.taskKey(secret, "job_1");
    byte[] proof = Handshake.serverProof(key, "task job_1", clientNonce, serverNonce);
    HelloResponse proved = hello().setServerProof(ByteString.copyFrom(proof)).build();
    assertThat(task.introduces(proved, "server s")).isTrue();
    AuthenticateRequest request = task.introduce(session(), "server s").request();
    assertThat(request.getClientProof()).isEmpty();
    assertThat(open(SERVERS, request, "task job_1").introduction().getNamesKey()).isFalse();
  }

  @Test
  void saysWhatToSetWhenItCannotIntroduceItsJob() throws IOException {
    assertThatThrownBy(() -> TASK.introducedTo("", "test.key").introduce(session(), "server s"))
        .hasMessageStartingWith("server s wants job=job_1 to be introduced")
        .hasMessageContaining("set test.key to what 'bin/sailfish env' prints");
    for (String key : List.of("00", "no key", "00".repeat(32))) {
      assertThatThrownBy(() -> TASK.introducedTo(key, "test.key").introduce(session(), "server s"))
          .as(key)
          .isInstanceOfSatisfying(
              RemoteException.class, e -> assertThat(e.status()).isEqualTo(Status.UNAUTHENTICATED))
          .hasMessageContaining("introduced to server s, check its public key (test.key)");
    }
  }

  @Test
  void bringsATicket() throws IOException {
    byte[] secret = "cluster".getBytes(StandardCharsets.US_ASCII);
    Ticket ticket = JobTicket.of(secret, "job_1", "ada", 17);
    AuthenticateRequest request =
        TASK.introducedTo(SERVERS.publicText(), "test.key")
            .withTicket(JobTicket.text(ticket))
            .introduce(session(), "server s")
            .request();
    Ticket brought =
        Ticket.parseFrom(open(SERVERS, request, "task job_1").introduction().getTicket());
    assertThat(brought).isEqualTo(ticket);
    assertThat(JobTicket.isGenuine(secret, "job_1", brought)).isTrue();
    assertThat(JobTicket.isGenuine(secret, "job_2", brought)).isFalse();
    assertThat(JobTicket.isGenuine(SECRET, "job_1", brought)).isFalse();
    assertThat(JobTicket.isGenuine(secret, "job_1", brought.toBuilder().setExpiryMs(18).build()))
        .isFalse();
    assertThat(JobTicket.isGenuine(secret, "job_1", brought.toBuilder().setUser("eve").build()))
        .isFalse();
    assertThatThrownBy(
            () ->
                TASK.introducedTo(SERVERS.publicText(), "test.key")
                    .withTicket("no ticket")
                    .introduce(session(), "server s"))
        .hasMessageContaining("ticket");
  }

  @Test
  void showsNoKey() {
    assertThat(TASK.toString()).isEqualTo("task job_1");
    assertThat(Credentials.ofCluster(SECRET).toString()).isEqualTo("cluster");
    assertThat(Credentials.none().isKeyed()).isFalse();
  }
}
