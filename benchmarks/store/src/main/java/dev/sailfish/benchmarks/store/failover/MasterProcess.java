package dev.sailfish.benchmarks.store.failover;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** One of the masters as a process, with the same ports in each of its lives. For one thread. */
final class MasterProcess {
  private static final Duration PAGE_DEADLINE = Duration.ofSeconds(5);
  private static final long END_DEADLINE_S = 30;
  private static final Pattern HEAP_USED = Pattern.compile("used (\\d+)K");

  private final String id;
  private final InetSocketAddress address;
  private final int webPort;
  private final Path directory;
  private final List<String> command;
  private final HttpClient http = HttpClient.newBuilder().connectTimeout(PAGE_DEADLINE).build();
  private volatile Process process;

  /**
   * Not started yet.
   *
   * @param directory has its log, and its journal under {@code journal-ID}
   */
  MasterProcess(
      String id, InetSocketAddress address, int webPort, Path directory, List<String> command) {
    this.id = id;
    this.address = address;
    this.webPort = webPort;
    this.directory = directory;
    this.command = command;
  }

  String id() {
    return id;
  }

  InetSocketAddress address() {
    return address;
  }

  Path log() {
    return directory.resolve(id + ".log");
  }

  void start() throws IOException {
    process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
            .start();
  }

  /** SIGKILL; returns when the process is gone. */
  void kill() throws IOException {
    if (process == null) {
      return;
    }
    process.destroyForcibly();
    try {
      if (!process.waitFor(END_DEADLINE_S, TimeUnit.SECONDS)) {
        throw new IOException("master " + id + " does not end");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while master " + id + " ended");
    }
  }

  /** SIGKILL; waits for nothing. From any thread. */
  void destroy() {
    Process current = process;
    if (current != null) {
      current.destroyForcibly();
    }
  }

  boolean leads() throws InterruptedIOException {
    return gauge("leads") == 1;
  }

  /** Whether it leads, or has nearly all that the leader has. */
  boolean isReady() throws InterruptedIOException {
    return page("/ready").equals("ready\n");
  }

  /** What a gauge of its page says; -1 when it gives none. */
  long gauge(String name) throws InterruptedIOException {
    String line = "sailfish_lineage_master_" + name + " ";
    return page("/metrics")
        .lines()
        .filter(each -> each.startsWith(line))
        .map(each -> (long) Double.parseDouble(each.substring(line.length())))
        .findFirst()
        .orElse(-1L);
  }

  private String page(String path) throws InterruptedIOException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + webPort + path))
            .timeout(PAGE_DEADLINE)
            .build();
    try {
      return http.send(request, HttpResponse.BodyHandlers.ofString()).body();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while master " + id + " was asked");
    } catch (IOException e) {
      return ""; // it does not run, or does not serve yet
    }
  }

  /** Bytes of heap in use after a collection of all garbage. */
  long heapBytes() throws IOException {
    jcmd("GC.run");
    Matcher used = HEAP_USED.matcher(jcmd("GC.heap_info"));
    if (!used.find()) {
      throw new IOException("jcmd says nothing of the heap of master " + id);
    }
    return Long.parseLong(used.group(1)) << 10;
  }

  private String jcmd(String what) throws IOException {
    String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
    Process asked =
        new ProcessBuilder(jcmd, Long.toString(process.pid()), what)
            .redirectErrorStream(true)
            .start();
    return new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  /**
   * Its snapshots and their sizes, one too that is being written; absent when one was renamed or
   * removed meanwhile.
   */
  Optional<Map<Path, Long>> snapshots() throws IOException {
    Map<Path, Long> sizes = new TreeMap<>();
    try (Stream<Path> files = Files.walk(directory.resolve("journal-" + id).resolve("raft"), 3)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        if (file.getFileName().toString().startsWith("snapshot.")) {
          sizes.put(file, Files.size(file));
        }
      }
      return Optional.of(sizes);
    } catch (NoSuchFileException | UncheckedIOException e) {
      return Optional.empty();
    }
  }
}
