package dev.sailfish.chaos.process;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;
import java.util.function.BooleanSupplier;

/**
 * A server as a process that can be ended and started again with the same command, directory and
 * environment. Thread-safe; {@link #end} and {@link #start} exclude each other.
 */
public final class DaemonProcess {
  private static final Duration START_DEADLINE = Duration.ofSeconds(120);

  /** SIGTERM may let work end that takes 45 s. */
  private static final Duration END_DEADLINE = Duration.ofSeconds(75);

  private final String name;
  private final InetSocketAddress address;
  private final Path log;
  private final BooleanSupplier serves;
  private final ProcessImage image;
  private volatile RunningProcess process;

  /**
   * Takes over a server that runs.
   *
   * @param address where it listens
   * @param pid its process
   * @param log its output goes there
   * @param serves asks it, or somebody else, whether it serves
   */
  public DaemonProcess(
      String name, InetSocketAddress address, long pid, Path log, BooleanSupplier serves)
      throws IOException {
    this.name = name;
    this.address = address;
    this.log = log;
    this.serves = serves;
    this.process =
        RunningProcess.read(pid)
            .orElseThrow(() -> new IOException(name + " does not run: pid=" + pid));
    this.image = ProcessImage.of(process);
  }

  /** For messages. */
  public String name() {
    return name;
  }

  /** Where it listens. */
  public InetSocketAddress address() {
    return address;
  }

  /** The process of its present, or last, life. */
  public RunningProcess process() {
    return process;
  }

  /** Whether its process is there, stopped or not. */
  public boolean isRunning() {
    return process.isRunning();
  }

  /**
   * Makes sure that its process is there.
   *
   * @throws AssertionError with the place of its log, when it has ended
   */
  void requireRunning() {
    if (!isRunning()) {
      throw new AssertionError(name + " has ended by itself, see " + log);
    }
  }

  /** Whether it does its work. */
  public boolean serves() {
    return serves.getAsBoolean();
  }

  /** Sends a signal, named without SIG, and waits until the process has ended. */
  public synchronized void end(String signal) throws IOException, InterruptedException {
    process.signal(signal);
    await()
        .atMost(END_DEADLINE)
        .pollInterval(Duration.ofMillis(50))
        .alias(name + " pid=" + process.pid() + " ends after SIG" + signal)
        .until(() -> !process.isRunning());
  }

  /** Starts it as it was started before, unless it runs, and waits until it serves. */
  public synchronized void start() throws IOException {
    if (process.isRunning()) {
      return;
    }
    process = image.start(log);
    await()
        .atMost(START_DEADLINE)
        .pollInterval(Duration.ofMillis(100))
        .alias(name + " serves again, see " + log)
        .until(
            () -> {
              requireRunning();
              return serves();
            });
  }

  /** The file that configures it: the last word of its command. */
  private Path propertiesFile() {
    return Path.of(image.command().get(image.command().size() - 1));
  }

  /** What is set in its properties file. */
  public Properties properties() throws IOException {
    Properties properties = new Properties();
    properties.load(new StringReader(Files.readString(propertiesFile())));
    return properties;
  }

  /** Replaces the properties file; holds from the next start on. */
  public void configure(Properties properties) throws IOException {
    StringWriter text = new StringWriter();
    properties.store(text, null);
    Files.writeString(propertiesFile(), text.toString());
  }

  @Override
  public String toString() {
    return name;
  }
}
