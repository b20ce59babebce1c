package dev.sailfish.testkit.qfs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Each fault does what it says, to the requests that it names. */
class QfsFaultsTest {
  private static final Object[] ROOT = {"Root File-handle", 2, "Pathname", "/"};
  private static final Object[] LIST = {"Directory File-handle", 2, "Max-entries", 10};

  private QfsTestServer qfs;
  private RawConnection meta;

  @BeforeEach
  void start() throws IOException {
    qfs = QfsTestServer.start(QfsServerSettings.DEFAULTS.servers(2, 1));
    meta = new RawConnection(qfs.metaPort(0));
  }

  @AfterEach
  void stop() throws IOException {
    meta.close();
    qfs.close();
  }

  @Test
  void refusesTheSecondRequestOnly() throws IOException {
    qfs.metaFaults(0).on("LOOKUP_PATH").skip(1).refuse(QfsStatus.AGAIN);
    assertEquals(0, meta.call("LOOKUP_PATH", ROOT).status());
    assertEquals(QfsStatus.AGAIN, meta.call("LOOKUP_PATH", ROOT).status());
    assertEquals(0, meta.call("LOOKUP_PATH", ROOT).status());
    assertEquals(3, qfs.metaFaults(0).count("LOOKUP_PATH"));
  }

  @Test
  void holdsRepliesAndSendsThemInTheReverseOfTheirOrder() throws IOException {
    qfs.metaFaults(0).on("LOOKUP_PATH").times(2).holdReply();
    for (int i = 0; i < 3; i++) {
      meta.send("LOOKUP_PATH", new byte[0], ROOT);
    }
    List<Long> order =
        List.of(meta.take().number("Cseq"), meta.take().number("Cseq"), meta.take().number("Cseq"));
    assertEquals(List.of(3L, 2L, 1L), order);
  }

  @Test
  void carriesOutWhatItDoesNotAnswer() throws IOException {
    Object[] directory = {"Parent File-handle", 2, "Directory", "d"};
    qfs.metaFaults(0).on("MKDIR").loseReply();
    meta.send("MKDIR", new byte[0], directory);
    assertEquals(QfsStatus.EXISTS, meta.call("MKDIR", directory).status());
  }

  @Test
  void answersARequestThatComesAgainAsBefore() throws IOException {
    Object[] directory = {"Parent File-handle", 2, "Directory", "d", "Rid", 77};
    RawConnection.Answer first = meta.call("MKDIR", directory);
    RawConnection.Answer again = meta.call("MKDIR", directory);
    assertEquals(0, again.status());
    assertEquals(first.number("File-handle"), again.number("File-handle"));
    assertEquals("4d MD", again.fields().get("Ack"));
    meta.send("ACK", new byte[0], "Ack", "4d MD");
    assertEquals(QfsStatus.EXISTS, meta.call("MKDIR", directory).status(), "forgotten");
  }

  @Test
  void endsConnections() throws IOException {
    qfs.metaFaults(0).on("*").closeBefore();
    assertThrows(IOException.class, () -> meta.call("LOOKUP_PATH", ROOT));
    try (RawConnection again = new RawConnection(qfs.metaPort(0))) {
      qfs.metaFaults(0).on("READDIR").cutBody();
      assertThrows(IOException.class, () -> again.call("READDIR", LIST));
    }
  }

  @Test
  void sendsWhatIsNoAnswer() throws IOException {
    qfs.metaFaults(0).on("READDIR").garbage();
    assertThrows(IOException.class, () -> meta.call("READDIR", LIST));
  }

  @Test
  void stopsAnAddressAndStartsItAgain() throws IOException {
    qfs.stopMeta(0);
    assertThrows(IOException.class, () -> meta.call("LOOKUP_PATH", ROOT));
    assertThrows(IOException.class, () -> new RawConnection(qfs.metaPort(0)));
    qfs.makePrimary(0);
    try (RawConnection other = new RawConnection(qfs.metaPort(1))) {
      Object[] greeting = {"Parent File-handle", 2, "Filename", "/", "Auth-type", 1};
      assertEquals(0, other.call("LOOKUP", greeting).number("Vr-primary"));
      assertEquals(QfsStatus.NOT_PRIMARY, other.call("LOOKUP_PATH", ROOT).status());
      qfs.makePrimary(1);
      assertEquals(0, other.call("LOOKUP_PATH", ROOT).status());
    }
    qfs.restartMeta(0);
    try (RawConnection again = new RawConnection(qfs.metaPort(0))) {
      assertEquals(QfsStatus.NOT_PRIMARY, again.call("LOOKUP_PATH", ROOT).status());
    }
  }
}
