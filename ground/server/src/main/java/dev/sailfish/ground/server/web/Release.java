package dev.sailfish.ground.server.web;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** Which release of Sailfish this is. */
public final class Release {
  private static final String FILE = "release.properties";
  private static final String VERSION = read();

  private Release() {}

  private static String read() {
    try (InputStream in = Release.class.getResourceAsStream(FILE)) {
      if (in == null) {
        throw new IOException(FILE + " is not in the archive of " + Release.class.getName());
      }
      Properties properties = new Properties();
      properties.load(in);
      return properties.getProperty("version");
    } catch (IOException e) {
      throw new UncheckedIOException("this archive of Sailfish is not whole", e);
    }
  }

  /** The version that it was built as, for instance {@code 1.2.0}. */
  public static String version() {
    return VERSION;
  }
}
