package dev.sailfish.hadoop.warm;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import org.apache.log4j.LogManager;
import org.apache.log4j.helpers.Loader;
import org.apache.log4j.helpers.OptionConverter;

/** log4j 1, as Hadoop's tasks have it. Callers catch that it is not there. */
final class Log4jFiles {
  private static final String CONFIGURATION = "log4j.configuration";

  private Log4jFiles() {}

  /**
   * Forgets all loggers' settings and reads the configuration of this process again, with the
   * system properties as they are now.
   *
   * @return false when there is none
   */
  static boolean configure() {
    URL file = file();
    if (file == null) {
      return false;
    }
    LogManager.resetConfiguration();
    OptionConverter.selectAndConfigure(file, null, LogManager.getLoggerRepository());
    return true;
  }

  /** Whether anything that is logged gets anywhere. */
  static boolean isConfigured() {
    return LogManager.getRootLogger().getAllAppenders().hasMoreElements();
  }

  private static URL file() {
    String name = System.getProperty(CONFIGURATION);
    if (name == null) {
      return null;
    }
    try {
      URL resource = Loader.getResource(name);
      File here = new File(name);
      if (resource != null) {
        return resource;
      }
      return here.isFile() ? here.toURI().toURL() : new URL(name);
    } catch (MalformedURLException e) {
      return null;
    }
  }
}
