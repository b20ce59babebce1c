package dev.sailfish.benchmarks.store.failover;

import dev.sailfish.ground.wire.Network;
import dev.sailfish.lineage.client.NamespaceClient;
import dev.sailfish.lineage.client.StoreClientConfig;
import dev.sailfish.lineage.protocol.wire.CreateFile;
import dev.sailfish.lineage.protocol.wire.StoreUser;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * One client that makes, completes and deletes files, one change after the other, and notes when
 * each was acknowledged. Its thread is {@link #run}; the rest is for others.
 */
final class Load implements Runnable {
  private static final int KEPT = 50;
  private static final int BLOCK_LOG = 27;
  private static final StoreUser USER =
      StoreUser.newBuilder().setName("bench").setSuperuser(true).build();

  private final List<InetSocketAddress> masters;
  private final long id;
  private final int place;
  private final ArrayDeque<String> files = new ArrayDeque<>();
  private volatile boolean ended;

  // Guarded by this object's monitor.
  private long lastNs;
  private long killedNs;
  private long gapNs;
  private boolean acknowledgedSince;
  private IOException failure;
  private List<Change> changes = new ArrayList<>();

  /** When a change was asked for, and acknowledged. */
  record Change(long askedNs, long acknowledgedNs) {
    long takenNs() {
      return acknowledgedNs - askedNs;
    }
  }

  Load(List<InetSocketAddress> masters, long id, int place) {
    this.masters = masters;
    this.id = id;
    this.place = place;
  }

  @Override
  public void run() {
    StoreClientConfig config =
        new StoreClientConfig(
            masters,
            Network.SOCKETS,
            Masters.credentials(),
            USER,
            Set.of(),
            StoreClientConfig.DEFAULT_BUFFER_BYTES,
            Duration.ofMinutes(3));
    try (NamespaceClient client = new NamespaceClient(config, id)) {
      for (long i = 0; !ended; i++) {
        step(client, "/load-" + id + "/" + i);
      }
    } catch (IOException e) {
      synchronized (this) {
        failure = e;
      }
    }
  }

  private void step(NamespaceClient client, String path) throws IOException {
    CreateFile file =
        CreateFile.newBuilder()
            .setPath(path)
            .setMode(0644)
            .setMakeParents(true)
            .setParentMode(0755)
            .setBlockSizeLog(BLOCK_LOG)
            .build();
    long askedNs = System.nanoTime();
    long fid = client.create(file).getEntry().getFid();
    askedNs = acknowledged(askedNs);
    client.complete(fid, 1 << 20, List.of(place));
    askedNs = acknowledged(askedNs);
    files.add(path);
    if (files.size() > KEPT) {
      client.delete(files.poll(), false);
      acknowledged(askedNs);
    }
  }

  private synchronized long acknowledged(long askedNs) {
    long nowNs = System.nanoTime();
    if (killedNs != 0) {
      gapNs = Math.max(gapNs, nowNs - Math.max(killedNs, lastNs));
      acknowledgedSince |= askedNs - killedNs > 0;
    }
    lastNs = nowNs;
    changes.add(new Change(askedNs, nowNs));
    return nowNs;
  }

  /** The leader is being killed: its gap counts from here on. */
  synchronized void killed(long nowNs) {
    killedNs = nowNs;
    gapNs = 0;
    acknowledgedSince = false;
  }

  /**
   * Whether a change was acknowledged that was asked for after the kill.
   *
   * @throws IOException when this client has given up
   */
  synchronized boolean goesOn() throws IOException {
    if (failure != null) {
      throw new IOException("client " + id + " was not answered", failure);
    }
    return acknowledgedSince;
  }

  /** The longest time since the kill in which nothing was acknowledged. */
  synchronized long gapNs() {
    return gapNs;
  }

  /** What was acknowledged since this was asked for last. */
  synchronized List<Change> takeChanges() {
    List<Change> taken = changes;
    changes = new ArrayList<>();
    return taken;
  }

  void end() {
    ended = true;
  }
}
