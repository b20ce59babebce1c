package dev.sailfish.lineage.master.state;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The answers of changes, for a client that asks again: because a connection broke, or another
 * master leads. A client says with each change which answers it has; those are forgotten, as all of
 * a client are that asks for nothing for ten minutes. For one thread.
 */
final class Answers {
  /** How many changes a client may wait for. */
  static final int MOST_PER_CLIENT = 1024;

  private static final long KEPT_MS = 600_000;

  /** The client that was silent for longest is the first. */
  private final Map<Long, Client> clients = new LinkedHashMap<>(16, 0.75f, true);

  private static final class Client {
    private final SortedMap<Long, byte[]> answers = new TreeMap<>();
    private long answeredBelow;
    private long lastMs;
  }

  /** How many clients have answers here. */
  int clients() {
    return clients.size();
  }

  /** The answer of a change that was made, or null. */
  byte[] find(long client, long number) {
    Client known = clients.get(client);
    return known == null ? null : known.answers.get(number);
  }

  /** Whether the client has said that it has this answer. */
  boolean isAnswered(long client, long number) {
    Client known = clients.get(client);
    return known != null && number < known.answeredBelow;
  }

  /** Whether no further change of the client is taken before it has an answer. */
  boolean isFull(long client) {
    Client known = clients.get(client);
    return known != null && known.answers.size() >= MOST_PER_CLIENT;
  }

  /** The client has all answers below a number. */
  void forget(long client, long answeredBelow, long nowMs) {
    Client known = clients.computeIfAbsent(client, id -> new Client());
    known.lastMs = nowMs;
    if (answeredBelow > known.answeredBelow) {
      known.answeredBelow = answeredBelow;
      known.answers.headMap(answeredBelow).clear();
    }
  }

  /**
   * Keeps the answer of a change.
   *
   * @param answer must not be changed by the caller from here on
   */
  void keep(long client, long number, byte[] answer) {
    clients.get(client).answers.put(number, answer);
  }

  /** Forgets the clients that have been silent for too long. */
  void expire(long nowMs) {
    Iterator<Client> oldest = clients.values().iterator();
    while (oldest.hasNext() && oldest.next().lastMs + KEPT_MS < nowMs) {
      oldest.remove();
    }
  }

  /** Writes { client:8 last:8 answered below:8 answers:4 { number:8 length:4 answer } }. */
  void write(DataOutputStream out) throws IOException {
    out.writeInt(clients.size());
    for (Map.Entry<Long, Client> entry : clients.entrySet()) {
      Client client = entry.getValue();
      out.writeLong(entry.getKey());
      out.writeLong(client.lastMs);
      out.writeLong(client.answeredBelow);
      out.writeInt(client.answers.size());
      for (Map.Entry<Long, byte[]> answer : client.answers.entrySet()) {
        out.writeLong(answer.getKey());
        out.writeInt(answer.getValue().length);
        out.write(answer.getValue());
      }
    }
  }

  static Answers read(DataInputStream in) throws IOException {
    Answers answers = new Answers();
    int count = in.readInt();
    for (int i = 0; i < count; i++) {
      Client client = new Client();
      answers.clients.put(in.readLong(), client);
      client.lastMs = in.readLong();
      client.answeredBelow = in.readLong();
      int kept = in.readInt();
      for (int j = 0; j < kept; j++) {
        client.answers.put(in.readLong(), in.readNBytes(in.readInt()));
      }
    }
    return answers;
  }
}
