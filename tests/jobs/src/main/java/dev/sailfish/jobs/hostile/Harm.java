package dev.sailfish.jobs.hostile;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.Provider;
import java.security.Security;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TimeZone;
import java.util.concurrent.CountDownLatch;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;

/** What a task does to its JVM. */
public enum Harm {
  /** Nothing. */
  NONE {
    @Override
    void happen(TaskAttemptID attempt, Path shared) {}
  },
  /** Changes what is static. */
  STATICS {
    @Override
    void happen(TaskAttemptID attempt, Path shared) {
      statics++;
    }
  },
  /** Sets system properties, one of Java's own too. */
  PROPERTY {
    @Override
    void happen(TaskAttemptID attempt, Path shared) {
      System.setProperty("hostile", attempt.toString());
      System.setProperty("user.timezone", "Asia/Kathmandu");
      System.clearProperty("user.name");
    }
  },
  /** Changes language, country and time zone. */
  LOCALE {
    @Override
    void happen(TaskAttemptID attempt, Path shared) {
      Locale.setDefault(Locale.forLanguageTag("tr-TR"));
      TimeZone.setDefault(TimeZone.getTimeZone("Asia/Kathmandu"));
    }
  },
  /** Leaves files in the working directory and among the temporary ones. */
  FILES {
    @Override
    void happen(TaskAttemptID attempt, Path shared) throws IOException {
      Files.writeString(Path.of("hostile-file"), "here");
      Files.createDirectory(Path.of("hostile-directory"));
      Files.writeString(Path.of("hostile-directory", "file"), "here");
      Files.createTempFile("hostile", ".tmp");
    }
  },
  /** Leaves a thread. */
  THREAD {
    @Override
    void happen(TaskAttemptID attempt, Path shared) {
      Thread thread =
          new Thread(
              () -> {
                try {
                  new CountDownLatch(1).await();
                } catch (InterruptedException e) {
                  // It ends then.
                }
              },
              "hostile thread");
      thread.setDaemon(true);
      thread.start();
    }
  },
  /** Keeps two thirds of the heap. */
  HEAP {
    @Override
    void happen(TaskAttemptID attempt, Path shared) {
      long bytes = Runtime.getRuntime().maxMemory() / 3 * 2;
      for (long got = 0; got < bytes; got += 1 << 20) {
        hog.add(new byte[1 << 20]);
      }
    }
  },
  /** Has a file written when the JVM ends. */
  SHUTDOWN_HOOK {
    @Override
    void happen(TaskAttemptID attempt, Path shared) {
      Runtime.getRuntime()
          .addShutdownHook(
              new Thread(
                  () -> {
                    try {
                      Files.writeString(shared.resolve("hook-" + attempt), "ran");
                    } catch (IOException e) {
                      throw new UncheckedIOException(e);
                    }
                  }));
    }
  },
  /** Switches logging off. */
  LOGGING {
    @Override
    void happen(TaskAttemptID attempt, Path shared) {
      Logger.getRootLogger().setLevel(Level.OFF);
      Logger.getRootLogger().removeAllAppenders();
    }
  },
  /** Prints to nowhere. */
  STREAMS {
    @Override
    void happen(TaskAttemptID attempt, Path shared) {
      System.setOut(new PrintStream(OutputStream.nullOutputStream(), true));
      System.setErr(new PrintStream(OutputStream.nullOutputStream(), true));
      System.out.close();
    }
  },
  /** Says once for all in this JVM how addresses are opened. */
  ADDRESSES {
    @Override
    void happen(TaskAttemptID attempt, Path shared) {
      URL.setURLStreamHandlerFactory(protocol -> null);
    }
  },
  /** Adds a security provider, a default resource and a handler of exceptions. */
  REGISTRIES {
    @Override
    void happen(TaskAttemptID attempt, Path shared) {
      Security.addProvider(new HostileProvider());
      Configuration.addDefaultResource("hostile-default.xml");
      Thread.setDefaultUncaughtExceptionHandler((thread, error) -> statics++);
    }
  },
  /** Loads a native library, which only one class loader may have at a time. */
  NATIVE {
    @Override
    void happen(TaskAttemptID attempt, Path shared) {
      System.load(System.getProperty("java.home") + "/lib/librmi.so");
    }
  },
  /** Leaves files open. */
  OPEN_FILES {
    @Override
    void happen(TaskAttemptID attempt, Path shared) throws IOException {
      for (int i = 0; i < FILES_LEFT_OPEN; i++) {
        open.add(new FileInputStream("/proc/self/stat"));
      }
    }
  },
  /** Ends the process, the first time. */
  EXIT {
    @Override
    void happen(TaskAttemptID attempt, Path shared) throws IOException {
      if (attempt.getId() == 0) {
        Files.writeString(shared.resolve("exit-" + attempt), "ends", StandardOpenOption.CREATE_NEW);
        Runtime.getRuntime().exit(7);
      }
    }
  };

  private static final int FILES_LEFT_OPEN = 200;

  private static int statics;
  private static final List<byte[]> hog = new ArrayList<>();
  private static final List<FileInputStream> open = new ArrayList<>();

  /** Adds nothing but its name. */
  private static final class HostileProvider extends Provider {
    private static final long serialVersionUID = 1;

    private HostileProvider() {
      super("Hostile", "1", "");
    }
  }

  /**
   * Does it.
   *
   * @param attempt that does it
   * @param shared where it may leave a sign for the test
   */
  abstract void happen(TaskAttemptID attempt, Path shared) throws IOException;

  /** How often something static was changed. */
  static int seen() {
    return statics + hog.size() + open.size();
  }
}
