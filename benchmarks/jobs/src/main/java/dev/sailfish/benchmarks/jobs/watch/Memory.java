package dev.sailfish.benchmarks.jobs.watch;

import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.DaemonRecord;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Memory of the web process, in MiB; 0 while there is none.
 *
 * @param rssMb what it has of the machine, by {@code /proc}
 * @param heapMb what of its heap is in use, rubbish too, as its metrics tell
 */
record Memory(double rssMb, double heapMb) {
  /** Of no process. */
  static final Memory NONE = new Memory(0, 0);

  private static final double KB_PER_MB = 1_024;
  private static final double BYTES_PER_MB = 1 << 20;
  private static final String RSS = "VmRSS:";
  private static final String USED = "jvm_memory_used_bytes{";
  private static final String HEAP = "area=\"heap\"";
  private static final Duration DEADLINE = Duration.ofSeconds(10);

  /** Of the web process, which runs. */
  static Memory of(DaemonRecord web) {
    try {
      Path status = Path.of("/proc", Long.toString(web.pid()), "status");
      return new Memory(rss(Files.readAllLines(status)), heap(metrics(web)));
    } catch (IOException e) {
      throw new CommandException("Cannot read the memory of the web process: " + e.getMessage(), e);
    }
  }

  /** As text, which is for who does not ask for JSON. */
  private static List<String> metrics(DaemonRecord web) throws IOException {
    HttpClient http = HttpClient.newBuilder().connectTimeout(DEADLINE).build();
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(web.web() + "/metrics")).timeout(DEADLINE).build();
    try {
      return http.send(request, HttpResponse.BodyHandlers.ofLines()).body().toList();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandException("Interrupted while the web process was asked.", e);
    }
  }

  /** Of lines of {@code /proc/PID/status}. */
  static double rss(List<String> lines) {
    for (String line : lines) {
      if (line.startsWith(RSS)) {
        return Long.parseLong(line.replaceAll("[^0-9]", "")) / KB_PER_MB;
      }
    }
    throw new CommandException("No line of /proc/PID/status begins with " + RSS + ".");
  }

  /** Of lines for Prometheus, one for each part of the heap. */
  static double heap(List<String> lines) {
    double bytes =
        lines.stream()
            .filter(line -> line.startsWith(USED) && line.contains(HEAP))
            .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
            .sum();
    if (bytes <= 0) {
      throw new CommandException("The web process tells nothing of its heap at /metrics.");
    }
    return bytes / BYTES_PER_MB;
  }
}
