package dev.sailfish.lineage.qfs.meta;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.lineage.qfs.wire.Clock;
import dev.sailfish.lineage.qfs.wire.ConnectionSettings;
import dev.sailfish.lineage.qfs.wire.Connections;
import dev.sailfish.lineage.qfs.wire.ScriptedServer;
import dev.sailfish.lineage.qfs.wire.ScriptedServer.Asked;
import dev.sailfish.testkit.Seeded;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whatever stands in a metaserver's lists, asking for them ends, with a result or IOException. */
@Seeded
class MetaFuzzTest {
  private static final int ROUNDS = 1500;
  private static final int MOST_CHUNKS = 20_000;
  private static final RetrySettings RETRY =
      new RetrySettings(Duration.ofMillis(20), Duration.ofMillis(1), Duration.ofMillis(5));
  private static final ConnectionSettings CONNECTION =
      new ConnectionSettings(Duration.ofSeconds(5), Duration.ofSeconds(5), 4, 1 << 16, 1);

  private static final String ENTRIES =
      "B\nN:.\nH:2\nT:dir\nB\nN:a\nH:1F\nT:file\nM:660C5E9FD26A1\nU:0\nG:A\nA:1A4\nCC:1\n"
          + "S:186A0\nB\nN:s\nH:20\nT:file\nST:2\nSC:6\nSR:3\nSS:10000\nCC:9\nS:-1\n";
  private static final String CHUNKS = "0 10 1 2 a 80 b 81 67108864 11 3 1 a 80 134217728 12 1 0";
  private static final String[] HEADERS = {
    "Num-chunks: 3",
    "Has-more-chunks: 0",
    "Has-more-entries: 0",
    "File-handle: 5",
    "Type: dir",
    "File-size: 100",
    "M-Time: 1234 5678",
    "Chunk-handle: 3",
    "Chunk-version: 4",
    "Master: b 2",
    "Num-replicas: 3",
    "Replicas: a 1 b 2 c 3"
  };
  private static final String[] WORDS = {
    "-1", "0", "1", "9223372036854775807", "9223372036787666944", "-9223372036854775808", "zz", "B",
    "N:", "N:x", "H:-", ":", "\n", " ", "1E", "99999999999999999999"
  };

  /** Null of a bad answer. */
  private interface Question {
    Object ask(MetaClient client) throws IOException;
  }

  private static final List<Question> QUESTIONS =
      List.of(
          client -> client.stat("/d/f"),
          client -> client.list("/d", 5, "", 10),
          client -> client.layout("/d/f", 9, 0),
          client -> client.chunkAt("/d/f", 9, 0),
          client -> client.allocate("/d/f", 9, 0));

  @Test
  @Timeout(120)
  void everyQuestionEnds(SplittableRandom random) throws IOException {
    int results = 0;
    int refusals = 0;
    try (ScriptedServer server = new ScriptedServer(asked -> answer(asked, random));
        Connections connections = new Connections(CONNECTION, Clock.SYSTEM);
        MetaClient client =
            new MetaClient(List.of(server.address()), new Owner(7, 8), connections, RETRY)) {
      for (int i = 0; i < ROUNDS; i++) {
        try {
          Object result = QUESTIONS.get(i % QUESTIONS.size()).ask(client);
          if (result instanceof Layout layout) {
            assertThat(layout.chunks()).hasSizeLessThan(MOST_CHUNKS);
          }
          results++;
        } catch (IOException e) {
          assertThat(e.getMessage()).isNotBlank();
          refusals++;
        }
      }
    }
    assertThat(results).isPositive();
    assertThat(refusals).isPositive();
  }

  private static synchronized byte[] answer(Asked asked, SplittableRandom random) {
    if (asked.fields().containsKey("Auth-type")) {
      return asked.ok("Vr-primary: 1", "Auth-type: 1");
    }
    String[] headers = HEADERS.clone();
    String body = asked.operation().equals("READDIRPLUS") ? ENTRIES : CHUNKS;
    for (int damages = random.nextInt(4); damages > 0; damages--) {
      if (random.nextInt(3) == 0) {
        int header = random.nextInt(headers.length);
        String name = headers[header].substring(0, headers[header].indexOf(':') + 1);
        headers[header] = name + " " + WORDS[random.nextInt(WORDS.length)].strip();
      } else {
        body = damaged(body, random);
      }
    }
    return asked.reply(0, body, headers);
  }

  /** With a word or some letters in place of others; none but one byte long. */
  private static String damaged(String body, SplittableRandom random) {
    int from = random.nextInt(body.length() + 1);
    int to = Math.min(body.length(), from + random.nextInt(12));
    String put =
        random.nextBoolean()
            ? WORDS[random.nextInt(WORDS.length)]
            : Character.toString(random.nextInt(1, 127));
    return body.substring(0, from)
        + put
        + body.substring(random.nextInt(5) == 0 ? body.length() : to);
  }

  /** Each page says that another one follows. */
  private static byte[] endless(Asked asked) {
    return asked.fields().containsKey("Auth-type")
        ? asked.ok("Vr-primary: 1", "Auth-type: 1")
        : asked.operation().equals("READDIRPLUS")
            ? asked.reply(0, ENTRIES, "Has-more-entries: 1")
            : asked.reply(0, CHUNKS, "Num-chunks: 3", "Has-more-chunks: 1");
  }

  @Test
  @Timeout(60)
  void aListThatDoesNotGoOnEnds() throws IOException {
    try (ScriptedServer server = new ScriptedServer(MetaFuzzTest::endless);
        Connections connections = new Connections(CONNECTION, Clock.SYSTEM);
        MetaClient client =
            new MetaClient(List.of(server.address()), new Owner(7, 8), connections, RETRY)) {
      assertThat(messageOf(() -> client.layout("/f", 9, 0))).contains("a chunk at 0 of a file");
      DirectoryListing listing = new DirectoryListing(client, "/d", 5, 10);
      assertThat(listing.next()).hasSize(2);
      assertThat(messageOf(listing::next)).contains("/d: a list that is to go on after 's'");
    }
  }

  private interface Asking {
    Object ask() throws IOException;
  }

  private static String messageOf(Asking asking) {
    try {
      return "no exception, but " + asking.ask();
    } catch (IOException e) {
      return e.getMessage();
    }
  }
}
