package dev.sailfish.lineage.qfs.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.lineage.qfs.wire.ScriptedServer.Asked;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whatever a peer says, a call ends: with a reply or with an exception, and in time. */
@Seeded
class ReplyFuzzTest {
  private static final int ROUNDS = 600;
  private static final int BODY = 100;

  private static final ConnectionSettings SETTINGS =
      new ConnectionSettings(Duration.ofSeconds(5), Duration.ofMillis(40), 4, 4096, 1);

  @Test
  @Timeout(120)
  void everyCallEnds(SplittableRandom random) throws IOException {
    int replies = 0;
    int failures = 0;
    try (ScriptedServer server = new ScriptedServer(asked -> damaged(asked, random));
        Connections connections = new Connections(SETTINGS, Clock.SYSTEM)) {
      for (int i = 0; i < ROUNDS; i++) {
        Connection connection = connections.take(server.address());
        ByteBuffer target = ByteBuffer.allocateDirect(BODY);
        try {
          Reply reply = connection.send(Request.of("READ").into(target)).await();
          assertThat(reply.body().remaining()).isLessThanOrEqualTo(4096);
          replies++;
        } catch (BrokenConnectionException e) {
          assertThat(connection.isOpen()).isFalse();
          failures++;
        }
        connections.give(connection);
        assertThat(connections.size()).isLessThanOrEqualTo(1);
      }
    }
    assertThat(replies).isPositive();
    assertThat(failures).isPositive();
  }

  /** One thread of the server at a time calls this, as one connection is used at a time. */
  private static synchronized byte[] damaged(Asked asked, SplittableRandom random) {
    byte[] good = asked.reply(BODY, "x".repeat(BODY), "Checksums: 1 2 3");
    switch (random.nextInt(8)) {
      case 0:
        return good;
      case 1:
        return TestBytes.random(random, TestBytes.skewedLength(random, 40_000));
      case 2:
        return Arrays.copyOf(good, random.nextInt(good.length));
      case 3:
        return null;
      case 4:
        return asked.reply(random.nextInt(), "x", "Content-length: " + random.nextInt());
      case 5:
        return asked.ok("A: " + "y".repeat(TestBytes.skewedLength(random, 20_000)));
      default:
        for (int i = random.nextInt(1, 4); i > 0; i--) {
          good[random.nextInt(good.length)] = (byte) random.nextInt(256);
        }
        return good;
    }
  }

  /** Several requests at once, answered in any order; a connection in ten ends inside a body. */
  @Test
  @Timeout(120)
  void noReplyGoesToAnotherRequest(SplittableRandom random) throws IOException {
    int replies = 0;
    int failures = 0;
    List<Asked> waiting = new ArrayList<>();
    try (ScriptedServer server = new ScriptedServer(asked -> inAnyOrder(asked, waiting, random));
        Connections connections = new Connections(SETTINGS, Clock.SYSTEM)) {
      for (int i = 0; i < ROUNDS; i++) {
        Connection connection = connections.take(server.address());
        List<Call> calls = new ArrayList<>();
        try {
          for (int number = 0; number < SETTINGS.window(); number++) {
            calls.add(connection.send(Request.of("READ").field("Number", number + 10 * i)));
          }
        } catch (BrokenConnectionException e) {
          failures++; // a busy machine: it took too long to send them all
        }
        for (int number = 0; number < calls.size(); number++) {
          try {
            ByteBuffer body = calls.get(number).await().body();
            assertThat(StandardCharsets.US_ASCII.decode(body).toString())
                .isEqualTo("body of " + (number + 10 * i));
            replies++;
          } catch (BrokenConnectionException e) {
            failures++;
          }
        }
        connections.give(connection);
      }
    }
    assertThat(replies).isPositive();
    assertThat(failures).isPositive();
  }

  private static long round(Asked asked) {
    return asked.number("Number") / 10;
  }

  private static synchronized byte[] inAnyOrder(
      Asked asked, List<Asked> waiting, SplittableRandom random) {
    waiting.removeIf(other -> round(other) != round(asked)); // its connection was given up
    waiting.add(asked);
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    if (waiting.size() == SETTINGS.window()) {
      while (!waiting.isEmpty()) {
        Asked next = waiting.remove(random.nextInt(waiting.size()));
        all.writeBytes(next.reply(0, "body of " + next.number("Number")));
      }
    }
    byte[] bytes = all.toByteArray();
    boolean ends = bytes.length > 0 && random.nextInt(10) == 0;
    return ends ? Arrays.copyOf(bytes, random.nextInt(bytes.length)) : bytes;
  }

  @Test
  void theParserTakesAnyBytesAndHoldsLittle(SplittableRandom random) {
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = TestBytes.random(random, TestBytes.skewedLength(random, 200));
      if (bytes.length > 4 && random.nextBoolean()) {
        System.arraycopy(new byte[] {'O', 'K', '\r', '\n'}, 0, bytes, 0, 4);
      }
      ReplyParser parser = new ReplyParser();
      try {
        ReplyHeader header = parser.take(ByteBuffer.wrap(bytes));
        assertThat(header == null || header.bodyBytes() >= 0).isTrue();
      } catch (IOException e) {
        assertThat(e.getMessage()).hasSizeLessThan(300);
      }
    }
  }
}
