package dev.sailfish.localcluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sailfish.ground.wire.tls.TlsContext;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Asks a daemon's web server, mostly for JSON. */
public final class RestClient {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final int OK = 200;
  private static final int UNAUTHORIZED = 401;

  /**
   * What a server answered.
   *
   * @param status of HTTP
   */
  public record Answer(int status, String text) {
    /** Whether the server did what it was asked for. */
    public boolean isOk() {
      return status == OK;
    }
  }

  private final HttpClient http;
  private final ObjectMapper json = new ObjectMapper();
  private final String base;

  /** A client of the server at {@code http://host:port}. */
  public RestClient(String base) {
    this(base, Optional.empty());
  }

  /**
   * A client of the server at {@code https://host:port}.
   *
   * @param tls whom to trust; absent: the server speaks HTTP
   */
  public RestClient(String base, Optional<TlsContext> tls) {
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(TIMEOUT)
            .followRedirects(HttpClient.Redirect.NORMAL);
    tls.ifPresent(keys -> builder.sslContext(keys.context()));
    this.http = builder.build();
    this.base = base;
  }

  /**
   * The answer to a GET request, or empty when there was none, when it was not 200, or when it was
   * no JSON: while daemons start, all three are usual.
   */
  public Optional<JsonNode> get(String path) {
    try {
      Answer answer = ask(path);
      return answer.isOk() ? Optional.of(json.readTree(answer.text())) : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** Whether the server serves, but wants to know who asks, which this client cannot say. */
  public boolean wantsLogin(String path) {
    try {
      return ask(path).status() == UNAUTHORIZED;
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * The answer to a GET request.
   *
   * @throws IOException when there was none
   */
  public Answer ask(String path) throws IOException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(base + path))
            .timeout(TIMEOUT)
            .header("Accept", "application/json")
            .build();
    try {
      HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
      return new Answer(response.statusCode(), response.body());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandException("Interrupted while asking " + base + path + ".", e);
    }
  }

  /** The elements of the list at a JSON pointer of the answer, if there is one. */
  public List<JsonNode> elements(String path, String pointer) {
    return get(path).map(answer -> elements(answer.at(pointer))).orElse(List.of());
  }

  /**
   * The elements of a list as Hadoop's REST services write it: nothing or null, one object, or an
   * array.
   */
  public static List<JsonNode> elements(JsonNode list) {
    List<JsonNode> elements = new ArrayList<>();
    if (list.isArray()) {
      list.forEach(elements::add);
    } else if (list.isObject()) {
      elements.add(list);
    }
    return elements;
  }
}
