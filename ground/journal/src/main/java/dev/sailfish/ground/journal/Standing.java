package dev.sailfish.ground.journal;

import java.nio.ByteBuffer;
import java.util.Map;

/**
 * How a peer stands when the leader's process has ended, which it tells the others that ask with
 * {@link PeerMessage#LEADER_ENDED}; the question is the leader's id in UTF-8.
 *
 * <pre>
 * +-----------+----------+-----------+
 * | flags (1) | term (8) | index (8) |   big-endian
 * +-----------+----------+-----------+
 *  bit 0: it misses that leader, too     of the last entry of its log, committed or not
 *  bit 1: it has applied nearly all that is committed
 * </pre>
 *
 * @param misses whether it has found out that the process of that leader has ended
 * @param applied whether it has applied nearly all that is committed, and could serve at once
 * @param term of the last entry of its log
 * @param index of that entry
 */
record Standing(boolean misses, boolean applied, long term, long index) {
  private static final int MISSES = 1;
  private static final int APPLIED = 2;
  private static final int LENGTH = 1 + Long.BYTES + Long.BYTES;

  byte[] encode() {
    int flags = (misses ? MISSES : 0) | (applied ? APPLIED : 0);
    return ByteBuffer.allocate(LENGTH).put((byte) flags).putLong(term).putLong(index).array();
  }

  /**
   * What {@link #encode} has made.
   *
   * @throws IllegalArgumentException when it has another length
   */
  static Standing decode(byte[] bytes) {
    if (bytes.length != LENGTH) {
      throw new IllegalArgumentException(
          "a peer tells how it stands in other bytes: length=" + bytes.length + " not " + LENGTH);
    }
    ByteBuffer in = ByteBuffer.wrap(bytes);
    byte flags = in.get();
    return new Standing((flags & MISSES) != 0, (flags & APPLIED) != 0, in.getLong(), in.getLong());
  }

  /**
   * Whether this peer should be next, so that all who ask come to the same. It is the one whose log
   * goes farthest, as nobody else can be sure to get the votes; among equals one that could serve
   * at once, and of these the one whose id comes first. Nobody, while too few miss the leader.
   *
   * @param self id of the peer that stands so
   * @param others those that tell, by id; without the leader
   * @param peers how many there are with the leader
   */
  boolean isNext(String self, Map<String, Standing> others, int peers) {
    long missing = others.values().stream().filter(Standing::misses).count() + (misses ? 1 : 0);
    return missing > peers / 2
        && others.entrySet().stream()
            .noneMatch(other -> other.getValue().isBefore(other.getKey(), this, self));
  }

  private boolean isBefore(String id, Standing other, String otherId) {
    if (term != other.term) {
      return term > other.term;
    }
    if (index != other.index) {
      return index > other.index;
    }
    return applied == other.applied ? id.compareTo(otherId) < 0 : applied;
  }
}
