package dev.sailfish.testkit.qfs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * The tests' server against a recorded exchange of a real one with another client: each recorded
 * request is answered with the same fields in the same order, the same status and the same values.
 * Values that differ by nature:
 *
 * <ul>
 *   <li>P, H, S and W: numbers of files and chunks, ports and write ids; the ones that the server
 *       gave stand for the recorded ones in later requests;
 *   <li>L, MT, CT, CR, D: leases and times;
 *   <li>K: checksums, since bodies are not recorded;
 *   <li>S, FC of a directory and l of READDIRPLUS: what else was in the recorded directory.
 * </ul>
 */
@Seeded
class RecordedExchangeTest {
  private static final Set<String> NAMES_OF_THINGS = Set.of("P", "H", "S", "W", "L");
  private static final Set<String> BY_NATURE =
      Set.of("P", "H", "W", "L", "MT", "CT", "CR", "D", "K", "FC");
  private static final int HEXADECIMAL = 16;

  private final Map<String, String> actual = new HashMap<>();
  private final Map<String, byte[]> written = new LinkedHashMap<>();

  record Message(boolean request, boolean meta, List<String> lines) {
    String operation() {
      return lines.get(0).trim();
    }

    Map<String, String> fields() {
      Map<String, String> fields = new LinkedHashMap<>();
      for (String line : lines.subList(1, lines.size())) {
        int colon = line.indexOf(':');
        fields.put(line.substring(0, colon), line.substring(colon + 1).trim());
      }
      return fields;
    }
  }

  @Test
  void answersAsTheRecordedServersDid(SplittableRandom random) throws IOException {
    List<Message> messages = recorded();
    int answers = 0;
    try (QfsTestServer qfs = QfsTestServer.start();
        RawConnection meta = new RawConnection(qfs.metaPort(0))) {
      prepare(meta);
      RawConnection chunkserver = null;
      Map<String, Map<String, String>> requests = new HashMap<>();
      Map<String, RawConnection.Answer> received = new HashMap<>();
      for (Message message : messages) {
        if (message.request()) {
          Map<String, String> fields = message.fields();
          requests.put(sequence(fields), fields);
          if (!message.meta() && chunkserver == null) {
            chunkserver = new RawConnection(firstPort());
          }
          send(message, message.meta() ? meta : chunkserver, random);
          continue;
        }
        RawConnection from = message.meta() ? meta : chunkserver;
        String sequence = message.fields().get("c");
        while (!received.containsKey(sequence)) {
          RawConnection.Answer answer = from.take();
          received.put(answer.fields().get("c"), answer);
        }
        assertSame(message.fields(), received.get(sequence), requests.get(sequence));
        answers++;
      }
      assertNotNull(chunkserver);
      chunkserver.close();
    }
    assertEquals(37, answers);
  }

  /** The directory of the recording, with another file in it. */
  private static void prepare(RawConnection meta) throws IOException {
    RawConnection.Answer made =
        meta.call("MKDIR", "Parent File-handle", 2, "Directory", "t", "Mode", 0755);
    Object parent = made.number("File-handle");
    meta.call(
        "CREATE",
        "Parent File-handle",
        parent,
        "Filename",
        "other",
        "Num-replicas",
        2,
        "Mode",
        420);
  }

  private static List<Message> recorded() throws IOException {
    List<Message> messages = new ArrayList<>();
    try (BufferedReader in =
        new BufferedReader(
            new InputStreamReader(
                RecordedExchangeTest.class.getResourceAsStream("recorded-exchange.txt"),
                StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        if (line.startsWith("> ") || line.startsWith("< ")) {
          boolean meta = line.endsWith("meta");
          messages.add(new Message(line.charAt(0) == '>', meta, new ArrayList<>()));
        } else if (!line.startsWith("#")) {
          messages.get(messages.size() - 1).lines().add(line);
        }
      }
    }
    return messages;
  }

  /** The sequence number of a request in the form of its answer. */
  private static String sequence(Map<String, String> fields) {
    return fields.containsKey("Cseq")
        ? Long.toHexString(Long.parseLong(fields.get("Cseq")))
        : fields.get("c");
  }

  private int firstPort() {
    return Integer.parseInt(actual.get("5655"), HEXADECIMAL);
  }

  private void send(Message message, RawConnection to, SplittableRandom random) throws IOException {
    byte[] body = new byte[0];
    StringBuilder head = new StringBuilder(message.lines().get(0)).append("\r\n");
    Map<String, String> fields = message.fields();
    if (message.operation().equals("WRITE_PREPARE")) {
      body = TestBytes.random(random, Integer.parseInt(fields.get("B"), HEXADECIMAL));
      written.put(fields.get("O"), body);
      fields.put("K", Long.toHexString(QfsChunkserver.checksum(body)));
    }
    fields.forEach((name, value) -> head.append(line(name, value)));
    to.sendRaw(head + "\r\n", body);
  }

  private String line(String name, String value) {
    if (!NAMES_OF_THINGS.contains(name)) {
      return name + (name.length() > 2 ? ": " : ":") + value + "\r\n";
    }
    List<String> words = new ArrayList<>();
    for (String word : value.split(" ")) {
      words.add(actual.getOrDefault(word.toLowerCase(Locale.ROOT), word));
    }
    return name + ":" + String.join(" ", words) + "\r\n";
  }

  private void assertSame(
      Map<String, String> expected, RawConnection.Answer answer, Map<String, String> request) {
    String what = request + " -> " + answer.fields();
    assertEquals(
        List.copyOf(expected.keySet()), List.copyOf(answer.fields().keySet()), "fields of " + what);
    boolean directory = "dir".equals(expected.get("T"));
    expected.forEach(
        (name, value) -> {
          boolean server = name.equals("S") && value.contains(" ");
          boolean listed = name.equals("l") && expected.containsKey("EC");
          if (!BY_NATURE.contains(name) && !server && !(directory && name.equals("S")) && !listed) {
            assertEquals(value, answer.fields().get(name), name + " of " + what);
          }
          if (NAMES_OF_THINGS.contains(name)) {
            learn(value, answer.fields().get(name));
          }
        });
    if (expected.containsKey("KC")) {
      assertEquals(readChecksums(), answer.fields().get("K"), "checksums of " + what);
      assertEquals(100_000, answer.body().length);
    }
  }

  private void learn(String recorded, String answered) {
    String[] words = recorded.toLowerCase(Locale.ROOT).split(" ");
    String[] values = answered.split(" ");
    assertEquals(words.length, values.length, recorded + " -> " + answered);
    for (int i = 0; i < words.length; i++) {
      actual.put(words[i], values[i]);
    }
  }

  private String readChecksums() {
    assertTrue(written.size() == 2, "two blocks were written");
    List<String> checksums = new ArrayList<>();
    written.values().forEach(b -> checksums.add(Long.toHexString(QfsChunkserver.checksum(b))));
    return String.join(" ", checksums);
  }
}
