package dev.sailfish.metaserver;

import dev.sailfish.ground.config.Settings;
import dev.sailfish.ground.server.daemon.DaemonMain;
import java.io.IOException;

/** Runs a metaserver until the process is told to end. */
public final class MetaserverMain {
  private MetaserverMain() {}

  /**
   * @param args path of a properties file; {@code --check-config} before it only reads the file
   */
  public static void main(String[] args) {
    DaemonMain.run(Metaserver.NAME, args, MetaserverMain::read, MetaserverMain::start);
  }

  private static Metaserver start(MetaserverConfig config) throws IOException {
    Metaserver metaserver = Metaserver.start(config);
    metaserver.rehearse();
    return metaserver;
  }

  private static MetaserverConfig read(Settings settings) throws IOException {
    MetaserverConfig config = MetaserverConfig.of(settings);
    config.daemon().checkFiles();
    return config;
  }
}
