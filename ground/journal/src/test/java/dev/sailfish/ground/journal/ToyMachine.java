package dev.sailfish.ground.journal;

import static org.awaitility.Awaitility.await;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * A state machine of words: an entry {@code key=value} sets one, and is told what was there. A view
 * has a copy and writes a word at a time, if it may.
 */
final class ToyMachine implements StateMachine, AutoCloseable {
  static final Duration DEADLINE = Duration.ofSeconds(60);

  final Journal journal;

  /** The driver of this machine, on a journal that is started. */
  final JournalDriver driver;

  /** What a piece of a snapshot needs; many by default. */
  final Semaphore pieces = new Semaphore(Integer.MAX_VALUE);

  /** What an entry needs to be applied; many by default. */
  final Semaphore applications = new Semaphore(Integer.MAX_VALUE);

  private final String name;
  private final TreeMap<String, String> words = new TreeMap<>();
  private long timeMs;
  private long entries;
  private int views;
  private boolean leads;

  ToyMachine(Journal journal, String name) throws IOException {
    this(journal, name, System::nanoTime);
  }

  /** By a clock of its own. */
  ToyMachine(Journal journal, String name, LongSupplier nanoTime) throws IOException {
    this.name = name;
    this.journal = journal;
    this.driver = new JournalDriver(journal, this, new SteadyClock(nanoTime, 5000), error -> {});
    boolean started = false;
    try {
      driver.open();
      started = true;
    } finally {
      if (!started) {
        driver.close();
      }
    }
  }

  /** One that leads. */
  static ToyMachine leading(JournalSettings settings) throws IOException {
    ToyMachine machine = new ToyMachine(Journal.of(settings, address -> null), settings.id());
    await().atMost(DEADLINE).until(machine.driver::tick);
    return machine;
  }

  /** Sets a word, and waits until that is done. */
  String put(String key, String value) throws Exception {
    return text(submit(key, value).get(DEADLINE.toSeconds(), TimeUnit.SECONDS));
  }

  CompletableFuture<byte[]> submit(String key, String value) {
    return journal.submit((key + "=" + value).getBytes(StandardCharsets.UTF_8));
  }

  static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /** All words there are. */
  Map<String, String> words() {
    return driver.look(now -> new TreeMap<>(words));
  }

  /** Whether it was told that it leads. */
  boolean leads() {
    return driver.look(now -> leads);
  }

  /** How many entries were applied since the process started, the first of leaders too. */
  long entries() {
    return driver.look(now -> entries);
  }

  /** How late it is by the entries. */
  long timeMs() {
    return driver.look(now -> timeMs);
  }

  /** How many views are open. */
  int views() {
    return driver.look(now -> views);
  }

  @Override
  public byte[] apply(byte[] entry, long now) {
    applications.acquireUninterruptibly();
    if (now < timeMs) {
      throw new IllegalStateException("time goes back: " + now + " after " + timeMs);
    }
    timeMs = now;
    entries++;
    String text = text(entry);
    int equals = text.indexOf('=');
    if (equals < 0) {
      throw new IllegalArgumentException("no word: " + text);
    }
    String before = words.put(text.substring(0, equals), text.substring(equals + 1));
    // Raft remembers replies for a while: long ones would fill the heap of the tests.
    String reply = String.valueOf(before);
    return reply.substring(0, Math.min(100, reply.length())).getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void applied() {}

  @Override
  public StateView freeze() {
    views++;
    Iterator<Map.Entry<String, String>> left = new TreeMap<>(words).entrySet().iterator();
    long frozenMs = timeMs;
    return new StateView() {
      private boolean begun;

      @Override
      public boolean write(OutputStream stream) throws IOException {
        DataOutputStream out = new DataOutputStream(stream);
        if (!begun) {
          begun = true;
          out.writeLong(frozenMs);
        } else if (pieces.tryAcquire() && left.hasNext()) {
          Map.Entry<String, String> word = left.next();
          writeText(out, word.getKey());
          writeText(out, word.getValue());
        }
        return left.hasNext();
      }

      @Override
      public void close() {
        views--;
      }
    };
  }

  private static void writeText(DataOutputStream out, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  private static String readText(DataInputStream in) throws IOException {
    return text(in.readNBytes(in.readInt()));
  }

  @Override
  public long load(InputStream in) throws IOException {
    DataInputStream data = new DataInputStream(in);
    long loadedMs = data.readLong();
    TreeMap<String, String> loaded = new TreeMap<>();
    while (data.available() > 0) {
      loaded.put(readText(data), readText(data));
    }
    return driver.look(
        now -> {
          if (views != 0) {
            throw new IllegalStateException("views=" + views);
          }
          words.clear();
          words.putAll(loaded);
          timeMs = loadedMs;
          return loadedMs;
        });
  }

  @Override
  public byte[] firstEntry() {
    return ("leader=" + name).getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void lead(long nowMs) {
    leads = true;
  }

  @Override
  public void follow() {
    leads = false;
  }

  @Override
  public void close() {
    driver.close();
  }
}
