package dev.sailfish.lineage.qfs.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.ground.config.HostPort;
import dev.sailfish.lineage.qfs.wire.ScriptedServer.Asked;
import dev.sailfish.lineage.qfs.wire.ScriptedServer.Script;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ConnectionTest {
  private static final ConnectionSettings SETTINGS =
      new ConnectionSettings(Duration.ofSeconds(5), Duration.ofSeconds(20), 4, 1 << 16, 2);

  private ScriptedServer server;
  private Connections connections;

  private Connection open(ConnectionSettings settings, Script script) throws IOException {
    server = new ScriptedServer(script);
    connections = new Connections(settings, Clock.SYSTEM);
    return connections.take(server.address());
  }

  @AfterEach
  void closeAll() throws IOException {
    connections.close();
    server.close();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static Request ping() {
    return Request.of("PING").about("the test");
  }

  @Test
  void repliesMayComeInAnyOrder() throws IOException {
    List<Asked> waiting = new ArrayList<>();
    Connection connection =
        open(
            SETTINGS,
            asked -> {
              waiting.add(asked);
              ByteArrayOutputStream all = new ByteArrayOutputStream();
              for (int i = waiting.size() - 1; waiting.size() == 3 && i >= 0; i--) {
                all.writeBytes(waiting.get(i).reply(0, "body " + waiting.get(i).number("Number")));
              }
              return all.toByteArray();
            });
    List<Call> calls = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      calls.add(connection.send(ping().field("Number", i)));
    }
    for (int i = 0; i < 3; i++) {
      assertThat(StandardCharsets.UTF_8.decode(calls.get(i).answer().body()).toString())
          .isEqualTo("body " + i);
    }
  }

  @Test
  void aBodyGoesToWhereItIsWanted() throws IOException {
    Connection connection = open(SETTINGS, asked -> asked.reply(5, "hello"));
    ByteBuffer target = ByteBuffer.allocateDirect(10).position(3);
    Reply reply = connection.call(ping().into(target));
    assertThat(reply.status()).isEqualTo(5);
    assertThat(reply.body().remaining()).isEqualTo(5);
    assertThat(target.position()).isEqualTo(3);
    assertThat(StandardCharsets.UTF_8.decode(target.slice(3, 5)).toString()).isEqualTo("hello");
  }

  @Test
  void aRefusalSaysWhatWhereAndWhyAndBreaksNothing() throws IOException {
    Connection connection =
        open(SETTINGS, asked -> asked.reply(-2, "", "Status-message: nowhere to be seen"));
    assertThatThrownBy(() -> connection.call(ping()))
        .isInstanceOfSatisfying(
            QfsException.class, e -> assertThat(e.error()).isEqualTo(QfsError.ENOENT))
        .hasMessage(
            "PING of the test: no such file or directory (ENOENT, status=-2) from %s, which says:"
                + " nowhere to be seen",
            server.address());
    assertThat(connection.isOpen()).isTrue();
  }

  private void breaks(Script script, String... words) throws IOException {
    Connection connection = open(SETTINGS, script);
    assertThatThrownBy(() -> connection.call(ping().into(ByteBuffer.allocateDirect(8))))
        .isInstanceOf(BrokenConnectionException.class)
        .hasMessageContaining("PING of the test")
        .hasMessageContaining(server.address().toString())
        .satisfies(e -> assertThat(e.getMessage()).contains(words));
    assertThat(connection.isOpen()).isFalse();
    assertThatThrownBy(() -> connection.send(ping())).isInstanceOf(BrokenConnectionException.class);
  }

  @Test
  void aPeerThatGoesAwayBreaksIt() throws IOException {
    breaks(asked -> null, "closed by the peer");
  }

  @Test
  void garbageBreaksIt() throws IOException {
    breaks(asked -> bytes("HTTP/1.1 400 Bad Request\r\n"), "not a reply of QFS");
  }

  @Test
  void anAnswerToWhatWasNotAskedBreaksIt() throws IOException {
    breaks(asked -> bytes("OK\r\nCseq: 99\r\nStatus: 0\r\n\r\n"), "not asked, Cseq 99");
  }

  @Test
  void headersWithoutEndBreakIt() throws IOException {
    breaks(asked -> bytes("OK\r\nA: " + "x".repeat(20_000)), "go on after 16384 bytes");
  }

  @Test
  void moreBytesThanThereIsRoomForBreakIt() throws IOException {
    breaks(asked -> asked.reply(9, "123456789"), "9 bytes, at most 8 were expected");
  }

  @Test
  void aRefusalsBodyHasALimitToo() throws IOException {
    breaks(asked -> asked.reply(-5, "x".repeat((1 << 16) + 1)), "at most 65536 were expected");
  }

  @Test
  void anEndInTheMiddleOfABodyBreaksIt() throws IOException {
    ConnectionSettings settings = SETTINGS.withRequest(Duration.ofMillis(300));
    Connection connection = open(settings, asked -> asked.ok("Content-length: 5"));
    assertThatThrownBy(() -> connection.call(ping()))
        .isInstanceOf(BrokenConnectionException.class)
        .hasMessageContaining("no reply to PING of the test within 300 ms");
  }

  @Test
  void aDeadlineEndsAllThatIsOutstanding() throws IOException {
    Connection connection =
        open(SETTINGS.withRequest(Duration.ofMillis(300)), asked -> new byte[0]);
    Call first = connection.send(ping());
    Call second = connection.send(Request.of("SIZE").about("chunk 3"));
    assertThatThrownBy(first::await).hasMessageContaining("within 300 ms");
    assertThatThrownBy(second::await)
        .hasMessageContaining("SIZE of chunk 3")
        .hasMessageContaining("no reply to PING");
  }

  @Test
  void aPeerThatDoesNotReadEndsWithTheDeadline() throws IOException {
    Connection connection =
        open(
            SETTINGS.withRequest(Duration.ofMillis(500)),
            asked -> {
              synchronized (this) {
                while (!Thread.currentThread().isInterrupted()) {
                  try {
                    wait();
                  } catch (InterruptedException e) {
                    return null;
                  }
                }
              }
              return null;
            });
    connection.send(ping());
    ByteBuffer large = ByteBuffer.allocateDirect(64 << 20);
    assertThatThrownBy(() -> connection.send(ping().field("Num-bytes", 64 << 20).body(large)))
        .isInstanceOf(BrokenConnectionException.class);
  }

  @Test
  void moreRequestsThanTheWindowWait() throws IOException {
    Connection connection =
        open(SETTINGS.withRequest(Duration.ofMillis(300)), asked -> new byte[0]);
    for (int i = 0; i < SETTINGS.window(); i++) {
      connection.send(ping());
    }
    assertThatThrownBy(() -> connection.send(ping())).isInstanceOf(BrokenConnectionException.class);
  }

  @Test
  void whatWasGivenBackIsTakenAgainUnlessItIsBroken() throws IOException {
    Connection connection = open(SETTINGS, Asked::ok);
    connections.give(connection);
    assertThat(connections.take(server.address())).isSameAs(connection);
    connections.give(connection);
    connection.close();
    Connection other = connections.take(server.address());
    assertThat(other).isNotSameAs(connection);
    assertThat(other.call(ping()).status()).isZero();
  }

  @Test
  void noMoreConnectionsAreKeptThanIsSaid() throws IOException {
    List<Connection> taken = new ArrayList<>(List.of(open(SETTINGS, Asked::ok)));
    for (int i = 0; i < 3; i++) {
      taken.add(connections.take(server.address()));
    }
    taken.forEach(connections::give);
    assertThat(taken).filteredOn(Connection::isOpen).hasSize(SETTINGS.idleConnections());
    assertThat(connections.size()).isEqualTo(SETTINGS.idleConnections());
  }

  @Test
  void aServerThatIsNotThereIsNamed() throws IOException {
    open(SETTINGS, Asked::ok);
    HostPort nobody;
    try (ServerSocket bound = new ServerSocket(0)) {
      nobody = new HostPort("127.0.0.1", bound.getLocalPort());
    }
    assertThatThrownBy(() -> connections.take(nobody))
        .isInstanceOf(BrokenConnectionException.class)
        .hasMessageContaining("cannot connect to the QFS server " + nobody);
  }

  @Test
  void aClosedClientAsksNobody() throws IOException {
    Connection connection = open(SETTINGS, asked -> new byte[0]);
    Call call = connection.send(ping());
    connections.close();
    assertThatThrownBy(call::await).hasMessageContaining("closed by this side");
    assertThatThrownBy(() -> connections.take(server.address()))
        .hasMessageContaining("client is closed");
  }
}
