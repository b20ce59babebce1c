package dev.sailfish.protocol.client;

import dev.sailfish.ground.wire.Network;
import dev.sailfish.protocol.wire.AwaitSortedResponse;
import java.time.Duration;

/**
 * A reader's patience with a server that answers, but has not sorted a chunk yet.
 *
 * <pre>
 *   answer ──▶ less is left than at the answer before ──▶ the patience begins anew
 *          └─▶ as much, or nothing is done for it     ──▶ the patience runs
 *   slow:  the patience has passed, or {@link #MOST_PATIENCES} of them although it advances
 * </pre>
 *
 * <p>Core without clock and I/O: times are those of {@link Network#nanoTime}. For one thread.
 */
public final class SortWait {
  /** How many times its patience a reader waits at most, however well the sort advances. */
  public static final int MOST_PATIENCES = 30;

  private static final long MILLI = 1_000_000;

  private final Duration patience;
  private final long beganNs;
  private long advancedNs;
  private AwaitSortedResponse last;

  /**
   * @param patience how long a sort may stand still
   * @param beganNs since when the reader waits for this and other chunks
   * @param nowNs the patience runs from now on
   */
  public SortWait(Duration patience, long beganNs, long nowNs) {
    this.patience = patience;
    this.beganNs = beganNs;
    this.advancedNs = nowNs;
  }

  /**
   * The server has answered that the chunk is not sorted yet.
   *
   * @return whether it has advanced since its last answer; false at the first one
   */
  public boolean answered(AwaitSortedResponse answer, long nowNs) {
    boolean advanced =
        last != null && !answer.getPutOff() && (last.getPutOff() || left(answer) < left(last));
    if (advanced) {
      advancedNs = nowNs;
    }
    last = answer;
    return advanced;
  }

  private static long left(AwaitSortedResponse answer) {
    return answer.getBytesAhead() + answer.getChunkBytes() - answer.getSortedBytes();
  }

  /** The reader did not look before; the patience begins no earlier. */
  public void lookedAt(long nowNs) {
    if (nowNs - advancedNs > 0) {
      advancedNs = nowNs;
    }
  }

  /** How long the reader is to stay away before it asks again, in milliseconds; 0 mostly. */
  public long askAgainMs() {
    return Integer.toUnsignedLong(last.getAskAgainMs());
  }

  /**
   * Whether it is time to give up, for now.
   *
   * @param server that has the chunk
   * @return what is slow, and what to do; null while it is to be waited for
   */
  public SlowServerException slow(String server, long nowNs) {
    long stillMs = (nowNs - advancedNs) / MILLI;
    long allMs = (nowNs - beganNs) / MILLI;
    boolean standsStill = stillMs > patience.toMillis();
    if (!standsStill && allMs / MOST_PATIENCES <= patience.toMillis()) {
      return null;
    }
    return new SlowServerException(
        ("%s sorts too slowly, the chunk is not lost: %s%s ms. It can be read later; more"
                + " sorter threads for the server, fewer jobs at a time, or a longer deadline of"
                + " clients help: docs/OPERATIONS.md, When a job is slow")
            .formatted(
                server,
                describe(),
                (standsStill
                    ? ". No advance for " + stillMs + " ms, limit=" + patience.toMillis()
                    : ". Waited for "
                        + allMs
                        + " ms, limit="
                        + MOST_PATIENCES * patience.toMillis())));
  }

  /** How far the sort is, as the server has said last. */
  public String describe() {
    return "%s; before it chunks=%s bytes=%s, of it sorted bytes=%s of %s"
        .formatted(
            last.getDetail(),
            last.getChunksAhead(),
            last.getBytesAhead(),
            last.getSortedBytes(),
            last.getChunkBytes());
  }
}
