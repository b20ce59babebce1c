package dev.sailfish.lineage.client;

import java.util.ArrayDeque;

/**
 * The numbers of one client's changes: each gets the next one, with word of how far there are
 * answers. The masters keep at most {@value #MOST} answers of a client, so a change waits here
 * while the one that has so many numbers less has no answer. Thread-safe.
 */
final class ChangeNumbers {
  /** What the masters allow. */
  static final int MOST = 1024;

  /** Sends a change. */
  @FunctionalInterface
  interface Sender {
    /**
     * Does not wait.
     *
     * @param answeredBelow there are answers to all changes below this number
     */
    void send(long number, long answeredBelow);
  }

  private final ArrayDeque<Sender> waiting = new ArrayDeque<>();

  /** Whether there is an answer, by number modulo MOST; of those from answeredBelow on. */
  private final boolean[] answered = new boolean[MOST];

  private long answeredBelow = 1;
  private long next = 1;

  /** Has a change sent, now or when there is room for it; in the order in which they came. */
  void begin(Sender sender) {
    synchronized (this) {
      waiting.add(sender);
    }
    sendAll();
  }

  /** There is an answer to a change, or nobody wants it any more. */
  void ended(long number) {
    synchronized (this) {
      answered[slot(number)] = true;
      while (answeredBelow < next && answered[slot(answeredBelow)]) {
        answered[slot(answeredBelow)] = false;
        answeredBelow++;
      }
    }
    sendAll();
  }

  private static int slot(long number) {
    return (int) (number % MOST);
  }

  private void sendAll() {
    boolean more = true;
    while (more) {
      Sender sender;
      long number = 0;
      long below = 0;
      synchronized (this) {
        sender = next - answeredBelow < MOST ? waiting.poll() : null;
        if (sender != null) {
          number = next++;
          below = answeredBelow;
        }
      }
      more = sender != null;
      if (more) {
        sender.send(number, below);
      }
    }
  }
}
