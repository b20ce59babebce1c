package dev.sailfish.lineage.qfs.wire;

import dev.sailfish.ground.config.HostPort;
import java.io.Closeable;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** The connections of one stream: one per server, shared by the stream's threads. Thread-safe. */
public final class ServerLines implements Closeable {
  private final Connections connections;
  private final Map<HostPort, Connection> lines = new HashMap<>();

  /** None are taken yet. */
  public ServerLines(Connections connections) {
    this.connections = connections;
  }

  /** An open connection to a server. */
  public synchronized Connection to(HostPort server) throws IOException {
    Connection line = lines.get(server);
    if (line == null || !line.isOpen()) {
      if (line != null) {
        connections.give(line);
        lines.remove(server);
      }
      line = connections.take(server);
      lines.put(server, line);
    }
    return line;
  }

  /** Gives all back. */
  @Override
  public synchronized void close() {
    lines.values().forEach(connections::give);
    lines.clear();
  }
}
