package dev.sailfish.metaserver.state;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Which chunkservers are home to a map: take what it appends to all of its partitions. The fewer
 * they are, the fewer maps run again when one is lost; the more homes there are, the more chunks of
 * each I-file are filled side by side, and left partly filled.
 *
 * <pre>
 *   ring       s0 s1 s2 s3 s4 s5 s6 s7     chunkservers by id, turned by the job's name
 *   4 homes     0  1  2  3  0  1  2  3     home 1 is s1 and s5, those of maps 1, 5, 9, 13 …
 *   8 homes     0  1  2  3  4  5  6  7     home 1 is s1, that of maps 1, 9 …; s5 that of 5, 13 …
 * </pre>
 *
 * <p>A job begins with {@link #FEW}, or with as many as there are servers in each, if that is more:
 * a map then connects to about as many servers as a reducer. It begins with fewer when it has so
 * many partitions that a server would have more than {@link #FIRST_CHUNKS} chunks, which take a
 * step of growth each however little is in them. Homes are halved, down to one server each, when
 * three chunks of each I-file were opened for each: about half of the chunks are partly filled
 * then, and fewer as they fill. A home that is halved takes its open chunks along, each to the half
 * that has its server. Maps are dealt out to the servers in turn, so all servers get the same
 * number of them, also where homes are not equally large.
 *
 * <p>It all follows from the map's ordinal, the servers that are known and the number of chunks, so
 * nothing is kept, and all peers find the same. Servers that are dead or drained keep their places:
 * the homes of other maps stay as they are. A server that is new moves most homes; what is bound
 * stays where it is.
 */
final class Homes {
  /** What a job of few partitions begins with at least, if there are as many servers. */
  static final int FEW = 4;

  /** How many chunks a job may have on a server so that there can be more than one home. */
  static final int FIRST_CHUNKS = 256;

  private final List<ServerInfo> ring;
  private final int count;

  private Homes(List<ServerInfo> ring, int count) {
    this.ring = ring;
    this.count = count;
  }

  /**
   * The homes of a job's maps.
   *
   * @param ring at least one server
   * @param partitions of the job
   * @param chunks how many the job has opened on these servers
   */
  static Homes of(List<ServerInfo> ring, int partitions, long chunks) {
    int servers = ring.size();
    long mostAtFirst = (long) FIRST_CHUNKS * servers / partitions;
    int count = 1;
    while (count < servers
        && ((isFew(count, servers) && 2 * count <= mostAtFirst)
            || chunks >= 3L * count * partitions)) {
      count *= 2;
    }
    return new Homes(ring, Math.min(count, servers));
  }

  private static boolean isFew(int count, int servers) {
    return count < FEW || count < servers / count;
  }

  /**
   * The servers of a map's home that take chunks; where none does, those of another home, which is
   * not the same for all maps that had the first one. Empty when no server takes any.
   *
   * @param map its ordinal, unsigned
   */
  List<ServerInfo> of(int map, Set<ServerInfo> takers) {
    long ordinal = Integer.toUnsignedLong(map);
    int home = (int) (ordinal % ring.size()) % count;
    List<ServerInfo> servers = takers(home, takers);
    for (int i = 1; i < count && servers.isEmpty(); i++) {
      long step = 1 + (ordinal / ring.size() + i) % (count - 1);
      servers = takers((int) ((home + step) % count), takers);
    }
    return servers;
  }

  private List<ServerInfo> takers(int home, Set<ServerInfo> takers) {
    List<ServerInfo> servers = new ArrayList<>();
    for (int i = home; i < ring.size(); i += count) {
      if (takers.contains(ring.get(i))) {
        servers.add(ring.get(i));
      }
    }
    return servers;
  }
}
