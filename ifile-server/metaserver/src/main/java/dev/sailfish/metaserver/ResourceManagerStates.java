package dev.sailfish.metaserver;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Asks the ResourceManager's REST API: {@code /ws/v1/cluster/apps/<application>}. */
final class ResourceManagerStates implements ApplicationStates {
  private static final int TIMEOUT_MS = 2000;
  private static final int MAX_ANSWER_BYTES = 1 << 20;

  private final InetSocketAddress address;

  ResourceManagerStates(InetSocketAddress address) {
    this.address = address;
  }

  @Override
  public Life of(String application) throws IOException {
    URI uri =
        URI.create(
            "http://"
                + address.getHostString()
                + ":"
                + address.getPort()
                + "/ws/v1/cluster/apps/"
                + application);
    HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
    connection.setConnectTimeout(TIMEOUT_MS);
    connection.setReadTimeout(TIMEOUT_MS);
    connection.setRequestProperty("Accept", "application/json");
    int code = connection.getResponseCode();
    if (code == HttpURLConnection.HTTP_NOT_FOUND) {
      return Life.UNKNOWN;
    }
    if (code != HttpURLConnection.HTTP_OK) {
      throw new IOException(uri + " answered with HTTP status " + code);
    }
    try (InputStream in = connection.getInputStream()) {
      byte[] answer = in.readNBytes(MAX_ANSWER_BYTES);
      return life(new String(answer, StandardCharsets.UTF_8), application, uri);
    }
  }

  private static Life life(String answer, String application, URI uri) throws IOException {
    Map<String, String> fields = JsonFields.of(answer, "app");
    if (!application.equals(fields.get("id")) || !fields.containsKey("state")) {
      throw new IOException(uri + " answered with something else than this application's state");
    }
    return switch (fields.get("state")) {
      case "FINISHED", "FAILED", "KILLED" -> Life.ENDED;
      default -> Life.ALIVE;
    };
  }
}
