package dev.sailfish.metaserver;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs a metaserver until the process is told to end. */
public final class MetaserverMain {
  private static final Logger LOG = LoggerFactory.getLogger(MetaserverMain.class);

  private MetaserverMain() {}

  /**
   * @param args path of a properties file
   */
  public static void main(String[] args) {
    if (args.length != 1) {
      LOG.error("usage: MetaserverMain PROPERTIES_FILE");
      System.exit(2);
    }
    Metaserver metaserver = null;
    try {
      metaserver = Metaserver.start(MetaserverConfig.of(load(Path.of(args[0]))));
      Runtime.getRuntime().addShutdownHook(new Thread(metaserver::close, "metaserver-stop"));
    } catch (IOException | IllegalArgumentException e) {
      LOG.error("metaserver cannot start: {}", e.getMessage());
      System.exit(1);
    }
    LOG.error("metaserver ends: {}", metaserver.failure().join());
    System.exit(1);
  }

  private static Map<String, String> load(Path file) throws IOException {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      properties.load(reader);
    } catch (IOException | IllegalArgumentException e) {
      throw new IOException("configuration cannot be read: file=" + file + ": " + e, e);
    }
    Map<String, String> map = new HashMap<>();
    properties.forEach((key, value) -> map.put(key.toString(), value.toString()));
    return map;
  }
}
