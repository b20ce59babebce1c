package dev.sailfish.chunkserver;

import dev.sailfish.codec.BlockCompression;
import dev.sailfish.ground.config.Key;
import dev.sailfish.ground.config.Settings;
import dev.sailfish.ground.server.ErrorGuard;
import dev.sailfish.ground.wire.RemoteException;
import java.io.IOException;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The chunkserver as a process: {@code ChunkserverMain PROPERTIES-FILE}, until it gets SIGTERM. */
public final class ChunkserverMain {
  private static final Logger LOG = LoggerFactory.getLogger(ChunkserverMain.class);
  private static final int FAILED = 1;
  private static final int WRONG_USAGE = 2;

  private ChunkserverMain() {}

  /** Runs a chunkserver with the settings of {@link ChunkserverConfig} from a properties file. */
  public static void main(String[] args) {
    if (args.length != 1) {
      System.err.println("usage: ChunkserverMain PROPERTIES-FILE");
      System.exit(WRONG_USAGE);
    }
    ErrorGuard.install("chunkserver", Runtime.getRuntime()::halt);
    try {
      Settings settings = Settings.read(Path.of(args[0]));
      ChunkserverConfig config = ChunkserverConfig.of(settings);
      warnOfDefaults(settings);
      Chunkserver chunkserver = Chunkserver.start(config);
      Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(chunkserver), "stop"));
      LOG.info(
          "chunkserver ready {}:{} web={}:{} id={} lz4={}",
          chunkserver.host(),
          chunkserver.port(),
          chunkserver.host(),
          chunkserver.webPort(),
          chunkserver.id(),
          BlockCompression.lz4Library());
      RemoteException refusal = chunkserver.refused().join();
      LOG.error("chunkserver ends, the metaserver does not take it: {}", refusal.getMessage());
      System.exit(FAILED);
    } catch (IOException | IllegalArgumentException e) {
      LOG.error("chunkserver cannot start: {}", e.getMessage(), e);
      System.exit(FAILED);
    }
  }

  /** A default that is right on one host only. */
  private static void warnOfDefaults(Settings settings) {
    Key<?> key = ChunkserverKey.METASERVER_ADDRESS;
    if (!settings.isSet(key)) {
      LOG.warn(
          "{} is not set: the metaserver is looked for at {}, which is right only on its own host",
          key,
          key.defaultText());
    }
  }

  private static void stop(Chunkserver chunkserver) {
    try {
      chunkserver.close();
    } catch (IOException e) {
      LOG.error("chunkserver did not stop well", e);
    }
  }
}
