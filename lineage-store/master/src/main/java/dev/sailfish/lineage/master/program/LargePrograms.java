package dev.sailfish.lineage.master.program;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Large programs that a leader was asked to keep, by their users and lengths: who has one of such a
 * length compares it with these before he hashes it. They are kept in memory alone, and the
 * programs may be gone or incomplete: who is told of one looks himself. Thread-safe.
 */
public final class LargePrograms {
  /** Of one user and length; those are kept that were asked for last. */
  private static final int MOST_OF_A_LENGTH = 4;

  private final long large;
  private final Map<Key, List<String>> hashes;

  private record Key(String user, long length) {}

  /**
   * @param large from how many bytes on a program is
   * @param most how many lengths are kept, of all users together: those that were used last
   */
  public LargePrograms(long large, int most) {
    this.large = large;
    hashes =
        new LinkedHashMap<>(16, 0.75f, true) {
          @Override
          protected boolean removeEldestEntry(Map.Entry<Key, List<String>> eldest) {
            return size() > most;
          }
        };
  }

  /** Nothing is known. */
  public synchronized void clear() {
    hashes.clear();
  }

  /**
   * A user has this program stored, or has it already; one that is not large is not kept.
   *
   * @param length in bytes
   * @param hash SHA-256 of its bytes, as text
   */
  public synchronized void add(String user, long length, String hash) {
    if (length < large) {
      return;
    }
    List<String> same = hashes.computeIfAbsent(new Key(user, length), key -> new ArrayList<>());
    same.remove(hash);
    same.add(0, hash);
    if (same.size() > MOST_OF_A_LENGTH) {
      same.remove(MOST_OF_A_LENGTH);
    }
  }

  /** Hashes of a user's programs of a length in bytes, the last one first. */
  public synchronized List<String> find(String user, long length) {
    return List.copyOf(hashes.getOrDefault(new Key(user, length), List.of()));
  }
}
