package dev.sailfish.imerger;

import dev.sailfish.imerger.fetch.MetaserverCalls;
import dev.sailfish.imerger.fetch.UnavailableException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Collects what is lost, so that one exception can name all of it. */
final class Losses {
  private final MetaserverCalls metaserver;
  private final Map<Integer, Integer> attemptByMap = new TreeMap<>();
  private final List<Long> chunks = new ArrayList<>();
  private final StringBuilder text = new StringBuilder();
  private Throwable cause;
  private boolean away = true;

  /**
   * @param metaserver is told of lost chunks
   */
  Losses(MetaserverCalls metaserver) {
    this.metaserver = metaserver;
  }

  /**
   * Adds a loss.
   *
   * @param pairs (map, attempt) whose blocks it took
   * @param what chunk, server and reason
   */
  void add(int[] pairs, String what, Throwable failure) {
    for (int i = 0; i < pairs.length; i += 2) {
      attemptByMap.put(pairs[i], pairs[i + 1]);
    }
    text.append(text.length() == 0 ? "" : "; ").append(what);
    away &= failure instanceof UnavailableException unavailable && unavailable.isAway();
    if (cause == null) {
      cause = failure;
    } else if (failure != null && failure != cause) {
      cause.addSuppressed(failure);
    }
  }

  /** Adds the loss of a chunk that the metaserver does not know of. */
  void add(SortedChunk chunk, String what, Throwable failure) {
    for (long id : chunk.ids()) {
      chunks.add(id);
    }
    add(chunk.owners, chunk + what, failure);
  }

  /** Leaves with the exception that names everything added, if that is anything. */
  void throwIfAny() throws LostBlocksException {
    if (text.length() > 0) {
      throw report();
    }
  }

  /** Tells the metaserver, and makes the exception that names everything added. */
  LostBlocksException report() {
    int[] pairs = new int[2 * attemptByMap.size()];
    int length = 0;
    for (Map.Entry<Integer, Integer> entry : attemptByMap.entrySet()) {
      pairs[length++] = entry.getKey();
      pairs[length++] = entry.getValue();
    }
    LostBlocksException loss =
        new LostBlocksException(
            "blocks are lost: job=%s partition=%s pairs (map, attempt)=%s: %s"
                .formatted(metaserver.job(), metaserver.partition(), Arrays.toString(pairs), text),
            pairs,
            away,
            cause);
    if (!chunks.isEmpty()) {
      try {
        metaserver.reportUnreadable(chunks);
      } catch (IOException e) {
        loss.addSuppressed(e);
      }
    }
    return loss;
  }
}
