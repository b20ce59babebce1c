package dev.sailfish.ground.server.kerberos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import dev.sailfish.ground.wire.kerberos.GssSession;
import dev.sailfish.ground.wire.secret.Handshake;
import dev.sailfish.kdc.TestKdc;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import javax.security.auth.Subject;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GssSessionTest {
  private static final String SERVICE = "sailfish/localhost";
  private static final byte[] START = {};
  private static final byte[] MESSAGE = "renewer".getBytes(StandardCharsets.US_ASCII);

  @TempDir static Path temporary;
  private static TestKdc kdc;
  private static KerberosLogin server;
  private static Subject alice;

  private final byte[] session = Handshake.nonce();

  @BeforeAll
  static void start() throws Exception {
    kdc = TestKdc.start(temporary);
    server = KerberosLogin.open(SERVICE + "@" + TestKdc.REALM, kdc.keytab(SERVICE));
    alice = TestKdc.login("alice", kdc.keytab("alice"));
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
    kdc.close();
  }

  private static GssSession client(Subject user, byte[] session) throws IOException {
    return TestKdc.as(user, () -> GssSession.initiate(SERVICE + "@" + TestKdc.REALM, session));
  }

  private static byte[] next(Subject user, GssSession client, byte[] token) throws IOException {
    return TestKdc.as(user, () -> client.next(token));
  }

  private GssSession accepting() throws IOException {
    return GssSession.accept(server.credential(), session);
  }

  @Test
  void bothSidesShouldProveThemselvesInOneRound() throws IOException {
    GssSession client = client(alice, session);
    GssSession accepting = accepting();
    byte[] answer = accepting.next(next(alice, client, START));
    assertThat(client.isDone()).isFalse();
    assertThat(next(alice, client, answer)).isEmpty();
    assertThat(client.isDone()).isTrue();
    assertThat(accepting.isDone()).isTrue();
    assertThat(accepting.user()).isEqualTo("alice@" + TestKdc.REALM);
    assertThat(server.principal()).isEqualTo(SERVICE + "@" + TestKdc.REALM);
    byte[] sealed = client.seal(MESSAGE);
    assertThat(new String(sealed, StandardCharsets.ISO_8859_1)).doesNotContain("renewer");
    assertThat(accepting.open(sealed)).isEqualTo(MESSAGE);
    assertThat(client.open(accepting.seal(MESSAGE))).isEqualTo(MESSAGE);
  }

  @Test
  void messagesThatWereChangedOrRepeatedShouldBeRefused() throws IOException {
    GssSession client = client(alice, session);
    GssSession accepting = accepting();
    next(alice, client, accepting.next(next(alice, client, START)));
    byte[] changed = client.seal(MESSAGE);
    changed[changed.length - 1] ^= 1;
    assertThatIOException().isThrownBy(() -> accepting.open(changed));
    byte[] sealed = client.seal(MESSAGE);
    assertThatIOException()
        .isThrownBy(
            () -> {
              accepting.open(sealed);
              accepting.open(sealed);
            })
        .withMessageContaining("Kerberos");
    assertThatIOException().isThrownBy(() -> accepting.open(MESSAGE));
    assertThatIOException().isThrownBy(() -> accepting.open(START));
    assertThatIOException().isThrownBy(() -> client.seal(new byte[1 << 20]));
  }

  @Test
  void aTokenThatWasRecordedShouldBeRefusedElsewhere() throws IOException {
    byte[] token = next(alice, client(alice, session), START);
    byte[] other = Handshake.nonce();
    assertThatIOException()
        .isThrownBy(() -> GssSession.accept(server.credential(), other).next(token))
        .withMessageContaining("Channel binding mismatch");
  }

  @Test
  void aTokenShouldBeRefusedTheSecondTime() throws IOException {
    byte[] token = next(alice, client(alice, session), START);
    accepting().next(token);
    assertThatIOException()
        .isThrownBy(() -> accepting().next(token))
        .withMessageContaining("replay");
  }

  @Test
  void aServerWithoutTheKeyShouldProveNothing() throws Exception {
    KerberosLogin impostor =
        KerberosLogin.open("other/localhost@" + TestKdc.REALM, kdc.keytab("other/localhost"));
    byte[] token = next(alice, client(alice, session), START);
    assertThatIOException()
        .isThrownBy(() -> GssSession.accept(impostor.credential(), session).next(token));
    GssSession client = client(alice, session);
    byte[] honest = accepting().next(next(alice, client(alice, session), START));
    next(alice, client, START);
    assertThatIOException().isThrownBy(() -> next(alice, client, honest));
    assertThat(client.isDone()).isFalse();
  }

  @Test
  void whoHasNoTicketShouldBeToldSo() {
    Subject stranger = new Subject();
    assertThatIOException()
        .isThrownBy(() -> next(stranger, client(stranger, session), START))
        .withMessageContaining("Kerberos");
  }

  @Test
  void aServiceThatTheKdcDoesNotKnowShouldBeNamed() throws IOException {
    GssSession client =
        TestKdc.as(alice, () -> GssSession.initiate("nobody/here@" + TestKdc.REALM, session));
    assertThatIOException()
        .isThrownBy(() -> next(alice, client, START))
        .withMessageContaining("Kerberos");
  }

  @Test
  void anyBytesShouldBeRefused() throws IOException {
    byte[] token = next(alice, client(alice, session), START);
    assertThatIOException().isThrownBy(() -> accepting().next(START));
    assertThatIOException().isThrownBy(() -> accepting().next(MESSAGE));
    assertThatIOException()
        .isThrownBy(() -> accepting().next(new byte[GssSession.MAX_TOKEN_LENGTH + 1]))
        .withMessageContaining("too long");
    for (int i = 0; i < token.length; i += 3) {
      byte[] changed = token.clone();
      changed[i] ^= 0x55;
      // Some bytes of the wrapping say nothing; what they wrap is the same token then.
      assertThat(userOf(changed)).as("byte %d", i).isIn("nobody", "alice@" + TestKdc.REALM);
    }
  }

  private String userOf(byte[] token) throws IOException {
    GssSession accepting = accepting();
    try {
      accepting.next(token);
    } catch (IOException e) {
      assertThat(e).hasMessageContaining("Kerberos");
      return "nobody";
    }
    return accepting.user();
  }

  @Test
  void aKeytabWithoutTheKeyShouldBeRefusedAtOnce() throws Exception {
    Path keytab = kdc.keytab("third/localhost");
    assertThatIOException()
        .isThrownBy(() -> KerberosLogin.open(SERVICE + "@" + TestKdc.REALM, keytab))
        .withMessageContaining("has no key of the principal")
        .withMessageContaining(SERVICE);
    assertThatIOException()
        .isThrownBy(() -> KerberosLogin.open(SERVICE, temporary.resolve("none.keytab")))
        .withMessageContaining("cannot be read");
  }
}
