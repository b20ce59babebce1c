package dev.sailfish.metaserver;

import dev.sailfish.ground.server.daemon.DaemonMain;

/** Runs a metaserver until the process is told to end. */
public final class MetaserverMain {
  private MetaserverMain() {}

  /**
   * @param args path of a properties file
   */
  public static void main(String[] args) {
    DaemonMain.run(
        Metaserver.NAME, args, settings -> Metaserver.start(MetaserverConfig.of(settings)));
  }
}
