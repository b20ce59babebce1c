package dev.sailfish.localcluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Hands out TCP ports of the loopback address to the daemons of one cluster.
 *
 * <p>Clusters that start side by side on one machine must not be given the same port, and a port is
 * not in use yet when it is handed out. So ports come in blocks. The first port of a block is its
 * guard: this object listens on it until it is closed, and another start that finds it in use looks
 * for another block. A block in which anyone listens is passed over too: it belongs to a cluster
 * that runs, and that may have a daemon just now that is to be started again.
 *
 * <p>All blocks lie below the range from which the kernel takes the ports of outgoing connections
 * (32768 and up by default): a port from that range could be taken by any client before the daemon
 * listens.
 */
final class FreePorts implements AutoCloseable {
  /** Where all daemons listen. */
  static final String HOST = "127.0.0.1";

  /** Ports of a block, its guard among them. */
  static final int BLOCK = 50;

  private static final int LOWEST = 24_000;
  private static final int HIGHEST = 32_000;
  private static final int ATTEMPTS = 1_000;

  private final RandomGenerator random;
  private final List<ServerSocket> guards = new ArrayList<>();
  private int last; // the port handed out last, or the guard of a block
  private int end; // exclusive: the end of the block

  FreePorts(RandomGenerator random) {
    this.random = random;
  }

  /** A port that was free just now, and that no cluster which starts meanwhile is given. */
  int next() {
    if (++last >= end) {
      claimBlock();
      last++;
    }
    return last;
  }

  /**
   * A port that is known to users, if it is free and no cluster that starts meanwhile has it, else
   * the {@link #next} one. The port after it is its guard.
   */
  int knownOrNext(int known) {
    try {
      ServerSocket guard = listen(known + 1);
      guards.add(guard);
      listen(known).close();
      return known;
    } catch (IOException e) {
      return next(); // in use: that is the question
    }
  }

  /** The loopback address with the {@link #next} port. */
  String address() {
    return HOST + ":" + next();
  }

  /** Gives the guards up: the daemons listen now, or never will. */
  @Override
  public void close() throws IOException {
    for (ServerSocket guard : guards) {
      guard.close();
    }
  }

  private void claimBlock() {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      int first = LOWEST + BLOCK * random.nextInt((HIGHEST - LOWEST) / BLOCK);
      if (claim(first)) {
        last = first;
        end = first + BLOCK;
        return;
      }
    }
    throw new CommandException(
        "Found no " + BLOCK + " free TCP ports between " + LOWEST + " and " + HIGHEST + ".");
  }

  private boolean claim(int first) {
    try {
      ServerSocket guard = listen(first);
      try {
        for (int port = first + 1; port < first + BLOCK; port++) {
          listen(port).close();
        }
      } catch (IOException e) {
        guard.close();
        throw e;
      }
      guards.add(guard);
      return true;
    } catch (IOException e) {
      return false; // in use: that is the question
    }
  }

  private static ServerSocket listen(int port) throws IOException {
    ServerSocket socket = new ServerSocket();
    try {
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return socket;
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }
}
