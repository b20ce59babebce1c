package dev.sailfish.iappender;

import dev.sailfish.ground.wire.Network;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.wire.ChunkDescription;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Judges chunkservers that owe answers.
 *
 * <pre>
 *   silent for      1 period               a WARN, once for each server; the metaserver is asked
 *                   each further quarter   it is asked again
 *                   2 periods              appends go elsewhere
 * </pre>
 *
 * <p>Appends go elsewhere at once when the metaserver has given the server's chunks up; if blocks
 * of this attempt were among them the attempt fails. So it does when that happens to a server that
 * was left before: what it acknowledged counts, and would be committed as a hole.
 */
final class SilenceWatch {
  private static final int PERIODS_IN_DEADLINE = 12;

  /** After a metaserver that did not answer, which held the appends up for some seconds. */
  private static final int PERIODS_WITHOUT_ASKING = 3;

  private static final Duration SHORTEST_PERIOD = Duration.ofSeconds(1);
  private static final Duration LONGEST_PERIOD = Duration.ofSeconds(20);
  private static final long MILLI = 1_000_000;

  /** What the metaserver says of a chunk. */
  private enum Place {
    /** It is on its server. */
    HERE,
    /** It is on another one, or lost. */
    ELSEWHERE,
    /** The metaserver did not answer. */
    UNKNOWN
  }

  /** A chunk on a server that was left, with acknowledged blocks of this attempt. */
  private record Left(AppendLink link, int partition, long chunk) {}

  private final MetaserverLink metaserver;
  private final MapAttempt attempt;
  private final Network network;
  private final long periodNs;
  private final List<Left> left = new ArrayList<>();
  private long askAboutLeftNs;

  SilenceWatch(MetaserverLink metaserver, IappenderConfig config) {
    this.metaserver = metaserver;
    this.attempt = metaserver.attempt;
    this.network = config.network();
    this.periodNs = period(config.deadline()).toNanos();
  }

  /**
   * How long a server may be silent before it is looked after: a twelfth of the deadline, as with
   * readers, but a second at least, if that is no more than a third, and 20 seconds at most.
   */
  static Duration period(Duration deadline) {
    Duration least = MetaserverLink.shorter(SHORTEST_PERIOD, deadline.dividedBy(3));
    Duration part = deadline.dividedBy(PERIODS_IN_DEADLINE);
    return MetaserverLink.shorter(LONGEST_PERIOD, part.compareTo(least) < 0 ? least : part);
  }

  private long silentNs(AppendLink link) {
    return network.nanoTime() - link.silentSinceNs();
  }

  /** Whether the server has owed an answer for a period. */
  boolean isSilent(AppendLink link) {
    return silentNs(link) >= periodNs;
  }

  /**
   * Whether appends to a silent server should go elsewhere. May ask the metaserver, which takes
   * some seconds if that does not answer either.
   *
   * @param why what has gone wrong last; null = nothing but the silence
   * @throws IOException when it is known that the attempt cannot go on
   */
  boolean isToBeLeft(AppendLink link, PartitionLog[] logs, IOException why) throws IOException {
    String trouble =
        why == null ? "no answer in " + silentNs(link) / MILLI + " ms" : why.getMessage();
    warn(
        link,
        trouble
            + "; waiting for it until the metaserver has given it up, then, or after "
            + 2 * periodNs / MILLI
            + " ms, other servers are appended to");
    if (network.nanoTime() - link.askAtNs >= 0) {
      Left witness = witness(link, logs);
      Place place = witness == null ? Place.UNKNOWN : place(witness, logs[witness.partition]);
      link.askAtNs = nextAskNs(place);
      if (place == Place.ELSEWHERE) {
        return true;
      }
    }
    return silentNs(link) >= 2 * periodNs;
  }

  /** Takes note of a server that is not appended to any more; before its logs are unbound. */
  void leaving(AppendLink link, PartitionLog[] logs, IOException why) {
    warn(link, why.getMessage() + "; other servers are appended to");
    Left witness = witness(link, logs);
    boolean holds = witness != null && logs[witness.partition].holds(witness.chunk);
    if (holds && !isNoted(link)) {
      left.add(witness);
      askAboutLeftNs = network.nanoTime() + periodNs / 4;
    }
  }

  /** One chunk of each server is enough: when a server is given up, all of them are lost. */
  private boolean isNoted(AppendLink link) {
    for (Left noted : left) {
      if (noted.link == link) {
        return true;
      }
    }
    return false;
  }

  /**
   * Asks now and then whether servers that were left still have what they acknowledged.
   *
   * @throws IOException when blocks of this attempt are lost
   */
  void checkLeft(PartitionLog[] logs) throws IOException {
    if (!left.isEmpty() && network.nanoTime() - askAboutLeftNs >= 0) {
      checkLeftNow(logs);
    }
  }

  /** As {@link #checkLeft}, at once: before a manifest names what they acknowledged. */
  void checkLeftNow(PartitionLog[] logs) throws IOException {
    if (left.isEmpty()) {
      return;
    }
    Place place = Place.HERE;
    for (int i = left.size() - 1; i >= 0 && place != Place.UNKNOWN; i--) {
      Left witness = left.get(i);
      place = place(witness, logs[witness.partition]);
      boolean works = place == Place.HERE && !witness.link.isLeft;
      if (works || place == Place.ELSEWHERE) {
        left.remove(i);
      }
    }
    askAboutLeftNs = nextAskNs(place);
  }

  private long nextAskNs(Place place) {
    boolean answered = place != Place.UNKNOWN;
    return network.nanoTime() + (answered ? periodNs / 4 : PERIODS_WITHOUT_ASKING * periodNs);
  }

  /** A chunk on the server to ask about, if possible one with blocks of this attempt; or null. */
  private static Left witness(AppendLink link, PartitionLog[] logs) {
    Left witness = null;
    for (PartitionLog log : logs) {
      if (log != null && log.link == link) {
        if (log.holds(log.chunk)) {
          return new Left(link, log.partition, log.chunk);
        }
        witness = new Left(link, log.partition, log.chunk);
      }
    }
    return witness;
  }

  /** Where the metaserver says that the chunk is; throws when it is lost with blocks in it. */
  private Place place(Left witness, PartitionLog log) throws IOException {
    ChunkDescription found = metaserver.describe(witness.partition, witness.chunk);
    if (found == null) {
      return Place.UNKNOWN;
    }
    if (found.getState() != ChunkState.LOST.code()) {
      boolean here = witness.link.leadsTo(found.getHost(), found.getPort());
      return here ? Place.HERE : Place.ELSEWHERE;
    }
    if (log.holds(witness.chunk)) {
      throw new IOException(
          ("cannot go on: the metaserver says that the chunk is lost with blocks of this"
                  + " attempt in it: %s partition=%s chunk=%s server=%s")
              .formatted(
                  attempt, witness.partition, Long.toHexString(witness.chunk), witness.link));
    }
    return Place.ELSEWHERE;
  }

  /** Says once of each server that something is wrong; nothing of logging is loaded before. */
  private void warn(AppendLink link, String what) {
    if (link.warned()) {
      System.getLogger("dev.sailfish.iappender")
          .log(System.Logger.Level.WARNING, "chunkserver " + link + ": " + what + ": " + attempt);
    }
  }
}
