package dev.sailfish.benchmarks.qfs;

import dev.sailfish.chunkserver.Chunkserver;
import dev.sailfish.chunkserver.ChunkserverConfig;
import dev.sailfish.metaserver.Metaserver;
import dev.sailfish.metaserver.MetaserverConfig;
import dev.sailfish.metaserver.MetaserverKey;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.HashMap;
import java.util.Map;

/**
 * A metaserver and a chunkserver with its memory on /dev/shm; prints the metaserver's port, its one
 * line. They end with their input, so that they do not outlive who started them.
 */
final class ServersMain {
  private ServersMain() {}

  public static void main(String[] arguments) throws IOException {
    PrintStream out = System.out;
    System.setOut(System.err); // where the log goes
    Map<String, String> meta = common(MetaserverKey.PREFIX);
    meta.put(MetaserverKey.PREFIX + "journal.dir", "none");
    try (Metaserver metaserver = Metaserver.start(MetaserverConfig.of(meta))) {
      String prefix = ChunkserverConfig.PREFIX;
      Map<String, String> chunk = common(prefix);
      chunk.put(prefix + "bind", "127.0.0.1");
      chunk.put(prefix + "metaserver.address", "127.0.0.1:" + metaserver.port());
      chunk.put(prefix + "memory.dir", "/dev/shm/sailfish-qfs-benchmark-own");
      chunk.put(prefix + "memory.size", "3g");
      chunk.put(prefix + "keep.chunks", "false");
      Chunkserver chunkserver = Chunkserver.start(ChunkserverConfig.of(chunk));
      try {
        out.println(metaserver.port());
        System.in.transferTo(OutputStream.nullOutputStream());
      } finally {
        chunkserver.close();
      }
    }
  }

  private static Map<String, String> common(String prefix) {
    return new HashMap<>(
        Map.of(
            prefix + "host", "127.0.0.1",
            prefix + "port", "0",
            prefix + "web.port", "0",
            prefix + "authentication", "none"));
  }
}
