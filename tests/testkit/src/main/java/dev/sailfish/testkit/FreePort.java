package dev.sailfish.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * TCP ports for servers that have to know theirs before they listen, or listen on it again.
 *
 * <p>They come from below the range from which the kernel takes the ports of outgoing connections
 * (32768 and up): from that range any client could take a port before the server listens. Ports
 * from 24000 are those of local clusters.
 *
 * <p>A port that was handed out is its JVM's until it ends, also while nobody listens on it: a lock
 * on the byte of its number in a file that all test JVMs of a user know keeps the others from it.
 */
public final class FreePort {
  private static final int LOWEST = 10_000;
  private static final int HIGHEST = 24_000;
  private static final int ATTEMPTS = 1_000;
  private static final FileChannel RESERVED = reservations();
  private static final Set<Integer> HANDED_OUT = ConcurrentHashMap.newKeySet();

  private FreePort() {}

  /** A port on which nobody listens, another one each time. */
  public static int next() {
    for (int i = 0; i < ATTEMPTS; i++) {
      int port = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST);
      if (HANDED_OUT.add(port) && isReserved(port) && isFree(port)) {
        return port;
      }
    }
    throw new IllegalStateException("no free port between " + LOWEST + " and " + HIGHEST);
  }

  private static FileChannel reservations() {
    Path file =
        Path.of(
            System.getProperty("java.io.tmpdir"),
            "sailfish-test-ports-" + System.getProperty("user.name"));
    try {
      return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    } catch (IOException e) {
      throw new UncheckedIOException("ports cannot be reserved in " + file, e);
    }
  }

  private static boolean isReserved(int port) {
    try {
      return RESERVED.tryLock(port, 1, false) != null;
    } catch (IOException e) {
      throw new UncheckedIOException("port=" + port + " cannot be reserved", e);
    }
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (IOException inUse) {
      return false;
    }
  }
}
