package dev.sailfish.chunkserver;

import dev.sailfish.ground.config.Key;
import dev.sailfish.ground.config.Settings;
import dev.sailfish.ground.server.daemon.DaemonMain;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The chunkserver as a process: {@code ChunkserverMain PROPERTIES-FILE}, until it gets SIGTERM. */
public final class ChunkserverMain {
  private static final Logger LOG = LoggerFactory.getLogger(ChunkserverMain.class);

  private ChunkserverMain() {}

  /** Runs a chunkserver with the settings of {@link ChunkserverConfig} from a properties file. */
  public static void main(String[] args) {
    DaemonMain.run("chunkserver", args, ChunkserverMain::read, ChunkserverMain::start);
  }

  private static Chunkserver start(ChunkserverConfig config) throws IOException {
    Chunkserver chunkserver = Chunkserver.start(config);
    chunkserver.rehearse();
    return chunkserver;
  }

  private static ChunkserverConfig read(Settings settings) throws IOException {
    ChunkserverConfig config = ChunkserverConfig.of(settings);
    config.daemon().checkFiles();
    Key<?> key = ChunkserverKey.METASERVER_ADDRESS;
    if (!settings.isSet(key)) {
      LOG.warn(
          "{} is not set: the metaserver is looked for at {}, which is right only on its own host",
          key,
          key.defaultText());
    }
    return config;
  }
}
