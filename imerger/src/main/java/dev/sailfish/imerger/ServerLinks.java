package dev.sailfish.imerger;

import dev.sailfish.protocol.client.SortWait;
import java.io.Closeable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The links of a merge to chunkservers, and how patient it is with them. */
final class ServerLinks implements Closeable {
  private final ImergerConfig config;
  private final MetaserverCalls metaserver;
  private final MergeStatistics statistics;
  private final String caller;
  private final List<ServerLink> links = new ArrayList<>();
  private Duration patience;
  private long sortWaitNs;
  private boolean sortLogged;

  ServerLinks(
      ImergerConfig config, MetaserverCalls metaserver, MergeStatistics statistics, String caller) {
    this.config = config;
    this.metaserver = metaserver;
    this.statistics = statistics;
    this.caller = caller;
    this.patience = config.deadline();
  }

  ImergerConfig config() {
    return config;
  }

  MetaserverCalls metaserver() {
    return metaserver;
  }

  MergeStatistics statistics() {
    return statistics;
  }

  String caller() {
    return caller;
  }

  /** The link to a chunkserver, the same for all its chunks. */
  ServerLink to(String host, int port) {
    for (int i = 0; i < links.size(); i++) {
      if (links.get(i).leadsTo(host, port)) {
        return links.get(i);
      }
    }
    ServerLink link = new ServerLink(this, host, port);
    links.add(link);
    return link;
  }

  /** How long a chunkserver may give no good reply before it counts as unreachable. */
  Duration patience() {
    return patience;
  }

  /** Goes on with another {@link #patience}, for which all connections are dropped. */
  void restart(Duration newPatience) {
    metaserver.restart();
    if (!newPatience.equals(patience)) {
      patience = newPatience;
      close();
    }
  }

  /** How long a server may take over AWAIT_SORTED before it says that it needs more time. */
  int sortedDeadlineMs() {
    long silenceMs = ServerLink.silence(patience).toMillis();
    return (int) Math.min(Math.max(1, silenceMs * 3 / 4), Integer.MAX_VALUE);
  }

  /** It is waited for sorts from now on. */
  void beginSortWait() {
    sortWaitNs = config.network().nanoTime();
  }

  /** A wait for a sort that a server needs more time for, since {@link #beginSortWait}. */
  SortWait newSortWait() {
    return new SortWait(patience, sortWaitNs, config.network().nanoTime());
  }

  /** Says once in the log that chunks are not sorted yet. */
  void logWait(ServerLink link, SortWait wait) {
    if (!sortLogged) {
      sortLogged = true;
      System.getLogger("dev.sailfish.imerger")
          .log(
              System.Logger.Level.WARNING,
              link + " is waited for as long as it advances: " + wait.describe());
    }
  }

  /** Drops all connections; they are opened again when they are needed. */
  @Override
  public void close() {
    for (int i = 0; i < links.size(); i++) {
      links.get(i).close();
    }
  }
}
