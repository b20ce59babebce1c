package dev.sailfish.lineage.qfs.meta;

import dev.sailfish.ground.config.HostPort;
import java.net.ProtocolException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** Servers as QFS writes them: {@code host port host port}, blanks between. */
final class ServerList {
  private static final int MOST_PORT = 0xffff;

  private ServerList() {}

  /** Takes so many servers from the words. */
  static List<HostPort> take(Iterator<String> words, long count) throws ProtocolException {
    List<HostPort> servers = new ArrayList<>();
    for (long i = 0; i < count; i++) {
      String host = word(words);
      long port = number(words);
      if (port < 1 || port > MOST_PORT) {
        throw new ProtocolException("no port of a server: " + port + " of " + host);
      }
      servers.add(new HostPort(host, (int) port));
    }
    return servers;
  }

  static String word(Iterator<String> words) throws ProtocolException {
    if (!words.hasNext()) {
      throw new ProtocolException("a list of servers or chunks that ends too early");
    }
    return words.next();
  }

  static long number(Iterator<String> words) throws ProtocolException {
    String word = word(words);
    try {
      return Long.parseLong(word);
    } catch (NumberFormatException e) {
      throw new ProtocolException("'" + word + "' is not a number in a list of chunks");
    }
  }
}
