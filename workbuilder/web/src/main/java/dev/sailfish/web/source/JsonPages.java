package dev.sailfish.web.source;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sailfish.ground.config.HostPort;
import dev.sailfish.ground.wire.tls.TlsContext;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.CookieManager;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** JSON that one HTTP server answers with. Each wait has a deadline. Thread-safe. */
public final class JsonPages {
  private static final int MAX_BYTES = 32 << 20;
  private static final int MAX_BYTES_OF_USERS = 8 << 20;

  /**
   * A token takes some 60 bytes of the tree, however short its text is. The pages that are sent
   * have more than this for each.
   */
  private static final int BYTES_PER_TOKEN = 8;

  private static final int OK = 200;
  private static final int NOT_FOUND = 404;
  private static final int UNAUTHORIZED = 401;
  private static final String AUTHORIZATION = "Authorization";
  private static final String NEGOTIATE = "Negotiate";

  private final HttpClient http;
  private final String base;
  private final Optional<String> token;
  private final Optional<Negotiator> negotiator;
  private final Duration deadline;
  private final int limit;
  private final ObjectMapper json;

  /**
   * Where the pages are, and how they are asked for.
   *
   * @param token absent: they ask for none
   * @param negotiator for pages that want to know who asks; absent: this process cannot say it
   */
  public record Place(
      String base,
      Optional<TlsContext> tls,
      Optional<byte[]> token,
      Optional<Negotiator> negotiator) {
    /** Pages with a token, or without. */
    public Place(String base, Optional<TlsContext> tls, Optional<byte[]> token) {
      this(base, tls, token, Optional.empty());
    }
  }

  /**
   * Does not connect yet.
   *
   * @param deadline of each answer
   */
  public JsonPages(Place place, Duration deadline) {
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(deadline)
            .followRedirects(HttpClient.Redirect.NORMAL);
    place.tls().ifPresent(trusted -> builder.sslContext(trusted.context()));
    // A server gives a cookie to who has proved who he is, and asks no more while that is good.
    place.negotiator().ifPresent(known -> builder.cookieHandler(new CookieManager()));
    this.http = builder.build();
    this.base = place.base();
    this.token = place.token().map(bytes -> new String(bytes, StandardCharsets.ISO_8859_1));
    this.negotiator = place.negotiator();
    this.deadline = deadline;
    this.limit = MAX_BYTES;
    this.json = json(limit);
  }

  private JsonPages(JsonPages other, String base, int limit) {
    this.http = other.http;
    this.base = base;
    this.token = other.token;
    this.negotiator = other.negotiator;
    this.deadline = other.deadline;
    this.limit = limit;
    this.json = limit == other.limit ? other.json : json(limit);
  }

  private static ObjectMapper json(int limit) {
    StreamReadConstraints constraints =
        StreamReadConstraints.builder().maxTokenCount(limit / BYTES_PER_TOKEN).build();
    return new ObjectMapper(JsonFactory.builder().streamReadConstraints(constraints).build());
  }

  /** Pages of another server, over the same client and with the same token. */
  public JsonPages at(String otherBase) {
    return new JsonPages(this, otherBase, limit);
  }

  /**
   * The same pages where programs of users make them: several are read at a time, and what they are
   * made into has to fit into the heap together.
   */
  public JsonPages ofUsers() {
    return new JsonPages(this, base, MAX_BYTES_OF_USERS);
  }

  /** {@code http://host:port}. */
  public String base() {
    return base;
  }

  /**
   * The answer; empty when the server says that there is no such thing.
   *
   * @throws IOException naming the page when there is no answer in time, or none of use
   */
  public Optional<JsonNode> get(String path) throws IOException {
    HttpRequest.Builder request = request(place(base + path));
    token.ifPresent(word -> request.header(AUTHORIZATION, "Bearer " + word));
    HttpResponse<byte[]> response = send(request.build());
    if (negotiator.isPresent() && wantsToKnow(response)) {
      // Where it was sent on to, for another server wants another proof.
      URI place = response.uri();
      String proof = negotiator.get().token(place.getHost());
      response = send(request(place).header(AUTHORIZATION, NEGOTIATE + " " + proof).build());
    }
    if (response.statusCode() == NOT_FOUND) {
      return Optional.empty();
    }
    if (response.statusCode() != OK) {
      throw new IOException(base + path + " answers with status " + response.statusCode());
    }
    try {
      return Optional.of(json.readTree(response.body()));
    } catch (StreamConstraintsException e) {
      throw new IOException(base + path + " answers with more than is taken", e);
    } catch (JsonProcessingException e) {
      throw new IOException(base + path + " answers with something that is no JSON", e);
    }
  }

  /** The JDK knows no host with an underscore in its name, as Docker gives them, by that name. */
  private static URI place(String address) throws IOException {
    try {
      URI place = URI.create(address);
      if (place.getHost() != null) {
        return place;
      }
      String authority = String.valueOf(place.getRawAuthority());
      HostPort named = HostPort.parse(authority);
      String host = InetAddress.getByName(named.host()).getHostAddress();
      return URI.create(address.replace(authority, new HostPort(host, named.port()).toString()));
    } catch (IllegalArgumentException e) {
      throw new IOException(address + " cannot be asked: " + e.getMessage(), e);
    }
  }

  private HttpRequest.Builder request(URI place) {
    return HttpRequest.newBuilder(place).timeout(deadline).header("Accept", "application/json");
  }

  private static boolean wantsToKnow(HttpResponse<byte[]> response) {
    return response.statusCode() == UNAUTHORIZED
        && response.headers().allValues("WWW-Authenticate").stream()
            .anyMatch(challenge -> challenge.startsWith(NEGOTIATE));
  }

  private HttpResponse<byte[]> send(HttpRequest request) throws IOException {
    CompletableFuture<HttpResponse<byte[]>> answer =
        http.sendAsync(request, head -> new BoundedBody(limit));
    try {
      return answer.get(deadline.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      answer.cancel(true);
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted: asking " + request.uri());
    } catch (TimeoutException e) {
      answer.cancel(true);
      throw new IOException(
          request.uri() + " does not answer within " + deadline.toMillis() + " ms", e);
    } catch (ExecutionException e) {
      throw new IOException(request.uri() + " cannot be asked: " + e.getCause(), e);
    }
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
