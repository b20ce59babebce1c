package dev.sailfish.hadoop.am.report;

import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.tls.TlsContext;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/**
 * Brings reports to the web process, one POST each. A report is signed with the job's access key,
 * which the web process can ask the metaserver for: so nobody reports what is not his job.
 */
final class ReportPost implements ReportSender.Post {
  /** Of one report, from connecting to the answer. */
  static final Duration DEADLINE = Duration.ofSeconds(2);

  private static final String PATH = "/api/v1/reports/";
  private static final String LAST = "/last";
  private static final int NOT_KNOWN = 409;
  private static final String SIGNATURE = "Sailfish-Signature";
  private static final String SIGNED = "sailfish-report\n%s\n";

  /** Has a metaserver tell the job's id and access key. */
  interface Admission {
    /** Waits for it, some seconds at most. */
    void ask() throws IOException;
  }

  private final String address;
  private final String job;
  private final Credentials credentials;
  private final Admission admission;
  private final Optional<TlsContext> tls;
  private boolean admitted;
  private HttpClient http; // made by the first report: it is some hundred classes

  /**
   * Connects to nothing yet.
   *
   * @param address of the web process
   * @param job its name
   * @param credentials of the job, which know its key once {@code admission} was asked
   * @param tls whom to trust where the address is one of HTTPS
   * @throws IllegalArgumentException when the address is none
   */
  ReportPost(
      String address,
      String job,
      Credentials credentials,
      Admission admission,
      Optional<TlsContext> tls) {
    this.address = checked(address);
    this.job = job;
    this.credentials = credentials;
    this.admission = admission;
    this.tls = tls;
    admitted = !credentials.isKeyed();
  }

  private static String checked(String address) {
    URI parsed = URI.create(address);
    boolean http = "http".equals(parsed.getScheme()) || "https".equals(parsed.getScheme());
    if (!http || parsed.getHost() == null || parsed.getQuery() != null) {
      throw new IllegalArgumentException(
          address + " is no address of a web process: write http://host:port or https://host:port");
    }
    return address.endsWith("/") ? address.substring(0, address.length() - 1) : address;
  }

  @Override
  public void post(JobReport report) throws IOException, InterruptedException {
    int status = send("", id -> ReportJson.encode(id, report));
    if (status / 100 != 2) {
      throw new IOException(address + " refuses its report with status " + status);
    }
  }

  @Override
  public boolean isKnown(JobReport report) throws IOException, InterruptedException {
    int status = send(LAST, id -> ReportJson.last(report));
    if (status / 100 != 2 && status != NOT_KNOWN) {
      throw new IOException(address + " does not say what it knows, status " + status);
    }
    return status != NOT_KNOWN;
  }

  /**
   * Sends something signed.
   *
   * @param below the path of the job's reports
   * @param content made with the id of the job at the metaserver
   * @return the status of the answer
   */
  private int send(String below, Function<String, byte[]> content)
      throws IOException, InterruptedException {
    if (!admitted) {
      admission.ask();
      admitted = true;
    }
    String id = credentials.jobId(job);
    byte[] body = content.apply(id);
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(address + PATH + id + below))
            .timeout(DEADLINE)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofByteArray(body));
    if (credentials.isKeyed()) {
      byte[] signed = SIGNED.formatted(id).getBytes(StandardCharsets.UTF_8);
      request.header(SIGNATURE, HexFormat.of().formatHex(credentials.sign(signed, body)));
    }
    return send(request.build());
  }

  /** The status of the answer. The deadline holds for a receiver that reads slowly, too. */
  private int send(HttpRequest request) throws IOException, InterruptedException {
    CompletableFuture<HttpResponse<Void>> answer =
        client().sendAsync(request, HttpResponse.BodyHandlers.discarding());
    try {
      return answer.get(DEADLINE.toMillis(), TimeUnit.MILLISECONDS).statusCode();
    } catch (TimeoutException e) {
      throw new IOException(address + " has not answered in " + DEADLINE.toMillis() + " ms", e);
    } catch (ExecutionException e) {
      throw new IOException(address + " does not answer: " + e.getCause(), e);
    } finally {
      answer.cancel(true);
    }
  }

  private HttpClient client() {
    if (http == null) {
      HttpClient.Builder builder =
          HttpClient.newBuilder()
              .version(HttpClient.Version.HTTP_1_1)
              .proxy(HttpClient.Builder.NO_PROXY)
              .connectTimeout(DEADLINE);
      tls.ifPresent(keys -> builder.sslContext(keys.context()));
      http = builder.build();
    }
    return http;
  }
}
