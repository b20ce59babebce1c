package dev.sailfish.ground.server.racks;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Racks as Hadoop's {@code net.topology.script.file.name} tells them: the script gets addresses as
 * arguments and prints a rack for each. As Hadoop does, a host's name is turned into its address
 * first. Answers are kept for good; a failure is asked again after a while.
 */
final class TopologyScript implements RackResolver {
  private static final Logger LOG = LoggerFactory.getLogger(TopologyScript.class);
  private static final int MAX_OUTPUT_BYTES = 4096;
  private static final int MAX_HOSTS = 100_000;
  private static final long RETRY_NS = TimeUnit.SECONDS.toNanos(30);

  private final Path script;
  private final long deadlineMs;
  private final String key;
  private final Map<String, String> racks = new ConcurrentHashMap<>();
  private final Map<String, Long> failedNs = new ConcurrentHashMap<>();

  private TopologyScript(Path script, long deadlineMs, String key) {
    this.script = script;
    this.deadlineMs = deadlineMs;
    this.key = key;
  }

  /**
   * Tries the script with this machine's loopback address.
   *
   * @param key that names it
   * @throws IOException with a sentence on what is wrong with it
   */
  static TopologyScript open(Path script, long deadlineMs, String key) throws IOException {
    TopologyScript topology = new TopologyScript(script, deadlineMs, key);
    if (!Files.isRegularFile(script)) {
      throw topology.failure("there is no such file", null);
    }
    if (!Files.isExecutable(script)) {
      throw topology.failure("it is not executable; chmod +x it", null);
    }
    topology.run("127.0.0.1");
    return topology;
  }

  private IOException failure(String why, Exception cause) {
    return new IOException(key + "=" + script + " cannot be used: " + why, cause);
  }

  @Override
  public String known(String host) {
    String rack = racks.get(host);
    if (rack != null) {
      return rack;
    }
    Long failed = failedNs.get(host);
    return failed != null && System.nanoTime() - failed < RETRY_NS ? DEFAULT_RACK : null;
  }

  @Override
  public String resolve(String host) {
    String known = known(host);
    if (known != null) {
      return known;
    }
    if (racks.size() + failedNs.size() >= MAX_HOSTS) {
      racks.clear();
      failedNs.clear();
    }
    try {
      String rack = run(address(host));
      racks.put(host, rack);
      failedNs.remove(host);
      LOG.info("rack of {} is {}", host, rack);
      return rack;
    } catch (IOException e) {
      failedNs.put(host, System.nanoTime());
      LOG.warn("rack of {} is taken to be {}: {}", host, DEFAULT_RACK, e.getMessage());
      return DEFAULT_RACK;
    }
  }

  private static String address(String host) {
    try {
      return InetAddress.getByName(host).getHostAddress();
    } catch (UnknownHostException e) {
      LOG.debug("{} has no address, the topology script gets its name", host, e);
      return host;
    }
  }

  /** Runs the script for one address; an empty answer is the default rack. */
  private String run(String address) throws IOException {
    Process process;
    try {
      process =
          new ProcessBuilder(script.toAbsolutePath().toString(), address)
              .redirectErrorStream(false)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
    } catch (IOException e) {
      throw failure("it cannot be started: " + e.getMessage(), e);
    }
    try {
      process.getOutputStream().close();
      String answer = answerOf(process);
      String[] words = answer.strip().split("\\s+");
      return words[0].isEmpty() ? DEFAULT_RACK : words[0];
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  private String answerOf(Process process) throws IOException {
    FutureTask<byte[]> output =
        new FutureTask<>(() -> process.getInputStream().readNBytes(MAX_OUTPUT_BYTES));
    Thread reader = new Thread(output, "rack-script");
    reader.setDaemon(true);
    reader.start();
    try {
      long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(deadlineMs);
      byte[] bytes = output.get(deadlineMs, TimeUnit.MILLISECONDS);
      if (!process.waitFor(end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
        throw failure("it did not end in " + deadlineMs + " ms", null);
      }
      if (process.exitValue() != 0) {
        throw failure("it ended with exit code " + process.exitValue(), null);
      }
      return new String(bytes, StandardCharsets.UTF_8);
    } catch (TimeoutException e) {
      throw failure("it did not end in " + deadlineMs + " ms", e);
    } catch (ExecutionException e) {
      throw failure("its answer cannot be read: " + e.getCause(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failure("interrupted while it ran", e);
    }
  }
}
