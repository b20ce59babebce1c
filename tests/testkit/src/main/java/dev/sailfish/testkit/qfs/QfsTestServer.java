package dev.sailfish.testkit.qfs;

import java.io.Closeable;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A small QFS in this JVM: one metaserver with one address or several, and chunkservers, all on the
 * loopback address. Files and chunks are in memory; blocks of 64 KB that replicas have alike are
 * kept once. Any thread.
 *
 * <pre>{@code
 * try (QfsTestServer qfs = QfsTestServer.start()) {
 *   qfs.chunkserver(0).faults().on("READ").skip(1).flipByte();
 *   ... connect a client to qfs.metaservers() ...
 * }
 * }</pre>
 */
public final class QfsTestServer implements Closeable {
  static final String HOST = "127.0.0.1";
  private static final int ALL_ANSWER = -1;

  private final ChunkMap chunks;
  private final Namespace namespace = new Namespace();
  private final List<QfsChunkserver> chunkservers = new ArrayList<>();
  private final List<QfsPort> metaservers = new ArrayList<>();
  private final List<QfsFaults> metaFaults = new ArrayList<>();
  private int primary = ALL_ANSWER;

  private QfsTestServer(QfsServerSettings settings) {
    chunks = new ChunkMap(settings);
    Map<Integer, QfsChunkserver> byPort = new ConcurrentHashMap<>();
    for (int i = 0; i < settings.chunkservers(); i++) {
      QfsChunkserver server = new QfsChunkserver(chunks, byPort, i);
      chunkservers.add(server);
      chunks.add(server);
    }
    MetaService service = new MetaService(chunks, namespace);
    for (int i = 0; i < settings.metaservers(); i++) {
      int number = i;
      QfsFaults faults = new QfsFaults();
      metaFaults.add(faults);
      metaservers.add(
          new QfsPort("qfs meta " + i, faults, r -> service.answer(r, () -> isPrimary(number))));
    }
  }

  /** One metaserver address and three chunkservers. */
  public static QfsTestServer start() {
    return start(QfsServerSettings.DEFAULTS);
  }

  /** Servers that listen when this returns. */
  public static QfsTestServer start(QfsServerSettings settings) {
    return new QfsTestServer(settings);
  }

  /** The addresses of the metaserver. */
  public List<InetSocketAddress> metaservers() {
    return metaservers.stream()
        .map(server -> new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()))
        .toList();
  }

  /** The port of one address of the metaserver. */
  public int metaPort(int number) {
    return metaservers.get(number).port();
  }

  /** What goes wrong with requests to one address of the metaserver. */
  public QfsFaults metaFaults(int number) {
    return metaFaults.get(number);
  }

  /** Stops one address as if its process were killed. */
  public void stopMeta(int number) {
    metaservers.get(number).stop();
  }

  /** Starts it again on its port, with what all addresses know. */
  public void restartMeta(int number) {
    metaservers.get(number).start();
  }

  /**
   * From now on only this address answers; the others refuse with -1009 and say so to a LOOKUP with
   * Auth-type.
   */
  public void makePrimary(int number) {
    synchronized (chunks) {
      primary = number;
    }
  }

  private boolean isPrimary(int number) {
    return primary == ALL_ANSWER || primary == number;
  }

  /** A chunkserver by its number, from 0. */
  public QfsChunkserver chunkserver(int number) {
    return chunkservers.get(number);
  }

  /** All of them. */
  public List<QfsChunkserver> chunkservers() {
    return List.copyOf(chunkservers);
  }

  /** The chunkserver that listens on a port. */
  public QfsChunkserver chunkserverAt(int port) {
    return chunkservers.stream().filter(server -> server.port() == port).findFirst().orElseThrow();
  }

  /**
   * The handles of a file's chunks in the order of the file.
   *
   * @throws IllegalArgumentException if there is no such file
   */
  public List<Long> chunksOf(String path) {
    synchronized (chunks) {
      return file(path).chunks.values().stream().map(chunk -> chunk.handle).toList();
    }
  }

  /** The servers that are up and hold a chunk's newest version, in the order of its chain. */
  public List<QfsChunkserver> holders(long chunk) {
    synchronized (chunks) {
      return chunks.get(chunk).live();
    }
  }

  /** The version of a chunk. */
  public long version(long chunk) {
    synchronized (chunks) {
      return chunks.get(chunk).version;
    }
  }

  /** Whether a chunk is stable: no write lease on it. */
  public boolean isStable(long chunk) {
    synchronized (chunks) {
      chunks.settle();
      return chunks.get(chunk).stable;
    }
  }

  /** How many read leases are valid on a chunk. */
  public int readLeases(long chunk) {
    synchronized (chunks) {
      MetaChunk known = chunks.get(chunk);
      return known.hasReadLease(chunks.nowNs()) ? known.readLeases.size() : 0;
    }
  }

  /** Ends the write lease of a chunk at once, as if its time were over. */
  public void expireWriteLease(long chunk) {
    synchronized (chunks) {
      chunks.relinquish(chunks.get(chunk));
    }
  }

  /**
   * The bytes of a file as its replicas hold them, of each chunk the first that is up; holes are
   * zeros.
   *
   * @throws IllegalArgumentException if there is no such file
   */
  public byte[] contents(String path) {
    synchronized (chunks) {
      Inode file = file(path);
      long size = file.size;
      for (MetaChunk chunk : file.chunks.values()) {
        size = Math.max(size, chunk.offset + chunk.live().get(0).replica(chunk.handle).size());
      }
      byte[] bytes = new byte[Math.toIntExact(size)];
      for (MetaChunk chunk : file.chunks.values()) {
        Replica replica = chunk.live().get(0).replica(chunk.handle);
        byte[] part = replica.read(0, replica.size());
        System.arraycopy(part, 0, bytes, (int) chunk.offset, part.length);
      }
      return bytes;
    }
  }

  private Inode file(String path) {
    Inode inode = namespace.at(namespace.get(Namespace.ROOT), path);
    if (inode == null || inode.directory) {
      throw new IllegalArgumentException("no file " + path);
    }
    return inode;
  }

  /** Stops everything; its connections are closed. */
  @Override
  public void close() {
    metaFaults.forEach(QfsFaults::clear);
    metaservers.forEach(QfsPort::close);
    chunkservers.forEach(QfsChunkserver::close);
  }
}
