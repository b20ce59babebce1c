package dev.sailfish.metaserver.yarn;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import dev.sailfish.ground.wire.tls.TlsContext;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Asks the ResourceManagers' REST API: {@code /ws/v1/cluster/apps/<application>}. Of several the
 * one that answered last is asked first; one that stands by sends on to the one that is active.
 */
public final class ResourceManagerStates implements ApplicationStates {
  /** What an application waits for is long: it names nodes and racks. */
  private static final String WITHOUT_REQUESTS = "?deSelects=resourceRequests";

  private static final int TIMEOUT_MS = 2000;
  private static final int MAX_DEPTH = 64;
  private static final int MAX_ANSWER_BYTES = 1 << 20;
  private static final JsonFactory JSON =
      JsonFactory.builder()
          .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(MAX_DEPTH).build())
          .build();

  private final List<URI> managers;
  private final Optional<TlsContext> tls;
  private int first;

  /**
   * Of some ResourceManagers.
   *
   * @param managers their web addresses, at least one, http or https
   * @param tls whom to trust over https; absent: whom this JVM trusts
   */
  public ResourceManagerStates(List<URI> managers, Optional<TlsContext> tls) {
    this.managers = List.copyOf(managers);
    this.tls = tls;
  }

  @Override
  public Application of(String application) throws IOException {
    IOException failure = null;
    for (int i = 0; i < managers.size(); i++) {
      int manager = (first + i) % managers.size();
      try {
        Application answer = ask(managers.get(manager), application);
        first = manager;
        return answer;
      } catch (IOException e) {
        failure = worst(failure, e);
      }
    }
    throw failure;
  }

  /** One that answers, though oddly, is there: that others are not is no news. */
  private static IOException worst(IOException one, IOException other) {
    if (one == null) {
      return other;
    }
    boolean isOdd = one instanceof OddAnswerException || !(other instanceof OddAnswerException);
    IOException first = isOdd ? one : other;
    first.addSuppressed(isOdd ? other : one);
    return first;
  }

  private Application ask(URI manager, String application) throws IOException {
    URI uri = manager.resolve("/ws/v1/cluster/apps/" + application + WITHOUT_REQUESTS);
    HttpURLConnection connection = open(uri);
    int code = connection.getResponseCode();
    if (code == HttpURLConnection.HTTP_NOT_FOUND) {
      return new Application(Life.UNKNOWN, "");
    }
    if (code != HttpURLConnection.HTTP_OK) {
      String message = uri + " answered with HTTP status " + code;
      // One that stands by answers with another one.
      throw code / 100 == 4 || code == HttpURLConnection.HTTP_INTERNAL_ERROR
          ? new OddAnswerException(message)
          : new IOException(message);
    }
    try (InputStream in = connection.getInputStream()) {
      return application(in.readNBytes(MAX_ANSWER_BYTES), application, uri);
    }
  }

  private HttpURLConnection open(URI uri) throws IOException {
    HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
    connection.setConnectTimeout(TIMEOUT_MS);
    connection.setReadTimeout(TIMEOUT_MS);
    connection.setRequestProperty("Accept", "application/json");
    tls.ifPresent(context -> context.applyTo(connection));
    return connection;
  }

  private static Application application(byte[] answer, String application, URI uri)
      throws IOException {
    Map<String, String> fields;
    try {
      fields = textFields(answer, "app");
    } catch (IOException e) {
      // A page for people comes also from a ResourceManager that stands by.
      throw beginsAsObject(answer) ? new OddAnswerException(uri + ": " + e.getMessage()) : e;
    }
    if (!application.equals(fields.get("id")) || !fields.containsKey("state")) {
      throw new OddAnswerException(
          uri + " answered with something else than this application's state");
    }
    Life life =
        switch (fields.get("state")) {
          case "FINISHED", "FAILED", "KILLED" -> Life.ENDED;
          default -> Life.ALIVE;
        };
    return new Application(life, fields.getOrDefault("user", ""));
  }

  private static boolean beginsAsObject(byte[] answer) {
    return new String(answer, StandardCharsets.UTF_8).stripLeading().startsWith("{");
  }

  /**
   * The text fields of the object of this name in the outermost object; none if it is not there.
   */
  static Map<String, String> textFields(byte[] answer, String object) throws IOException {
    Map<String, String> fields = new HashMap<>();
    try (JsonParser json = JSON.createParser(answer)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw new IOException("answer is no JSON object");
      }
      for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
        if (json.nextToken() == JsonToken.START_OBJECT && name.equals(object)) {
          readTexts(json, fields);
        } else {
          json.skipChildren();
        }
      }
    } catch (JsonProcessingException e) {
      throw new IOException("answer is no JSON object: " + e.getMessage(), e);
    }
    return fields;
  }

  private static void readTexts(JsonParser json, Map<String, String> fields) throws IOException {
    for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
      if (json.nextToken() == JsonToken.VALUE_STRING) {
        fields.put(name, json.getText());
      } else {
        json.skipChildren();
      }
    }
  }
}
