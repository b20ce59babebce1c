package dev.sailfish.imerger.fetch;

import dev.sailfish.imerger.ImergerConfig;
import dev.sailfish.protocol.client.SortWait;
import dev.sailfish.protocol.wire.AwaitSortedResponse;
import java.io.Closeable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The links of a merge to chunkservers, how patient it is with them, and what came from them. */
public final class ReadLinks implements Closeable {
  final ImergerConfig config;
  final MetaserverCalls metaserver;

  /** How long a chunkserver may give no good reply before it counts as unreachable. */
  Duration patience;

  /** Connections that broke. */
  long reconnects;

  private final List<ReadLink> links = new ArrayList<>();
  private long sortWaitNs;
  private boolean sortLogged;
  private long reads;
  private long bytesFetched;

  /**
   * @param metaserver knows where chunks are when their servers do not answer
   */
  public ReadLinks(ImergerConfig config, MetaserverCalls metaserver) {
    this.config = config;
    this.metaserver = metaserver;
    this.patience = config.deadline();
  }

  /** The link to a chunkserver, the same for all its chunks. */
  public ReadLink to(String host, int port) {
    for (int i = 0; i < links.size(); i++) {
      if (links.get(i).leadsTo(host, port)) {
        return links.get(i);
      }
    }
    ReadLink link = new ReadLink(this, host, port);
    links.add(link);
    return link;
  }

  /**
   * Goes on with the patience of the configuration; if that changes, all connections are dropped.
   *
   * @param most limits the patience; null: does not
   */
  public void restart(Duration most) {
    metaserver.restart();
    Duration deadline = config.deadline();
    Duration newPatience = most != null && most.compareTo(deadline) < 0 ? most : deadline;
    if (!newPatience.equals(patience)) {
      patience = newPatience;
      close();
    }
  }

  /** Whether a chunkserver that refuses connections is given up sooner than a silent one. */
  boolean isImpatient() {
    return config.refusalPatience().compareTo(patience) < 0;
  }

  /** How long one connection may be silent: short enough to try a second one in time. */
  static Duration silence(Duration patience) {
    return patience.dividedBy(3).plusMillis(1);
  }

  /** How long a server may take over AWAIT_SORTED before it says that it needs more time. */
  int sortedDeadlineMs() {
    long silenceMs = silence(patience).toMillis();
    return (int) Math.min(Math.max(1, silenceMs * 3 / 4), Integer.MAX_VALUE);
  }

  /** It is waited for sorts from now on. */
  public void beginSortWait() {
    sortWaitNs = config.network().nanoTime();
  }

  /** A chunk is not sorted yet, which is logged once. */
  void needsTime(Fetch fetch, AwaitSortedResponse answer) {
    long now = config.network().nanoTime();
    if (fetch.sortWait == null) {
      fetch.sortWait = new SortWait(patience, sortWaitNs, now);
    }
    fetch.sortWait.answered(answer, now);
    if (!sortLogged) {
      sortLogged = true;
      System.getLogger("dev.sailfish.imerger")
          .log(
              System.Logger.Level.WARNING,
              fetch.link + " is waited for as long as it advances: " + fetch.sortWait.describe());
    }
  }

  void countRead(int bytes) {
    reads++;
    bytesFetched += bytes;
  }

  /** Reads that chunkservers answered. */
  public long reads() {
    return reads;
  }

  /** Bytes of blocks that came from chunkservers, as they are stored. */
  public long bytesFetched() {
    return bytesFetched;
  }

  /** Connections to chunkservers that broke. */
  public long reconnects() {
    return reconnects;
  }

  /** Drops all connections; they are opened again when they are needed. */
  @Override
  public void close() {
    for (int i = 0; i < links.size(); i++) {
      links.get(i).close();
    }
  }
}
