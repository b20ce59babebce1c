package dev.sailfish.web;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** One client of a topic of server-sent events. For one thread. */
final class Stream implements Closeable {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final InputStream body;
  private final BufferedReader lines;

  Stream(HttpClient http, HttpRequest request) throws IOException, InterruptedException {
    HttpResponse<InputStream> answer =
        http.send(request, HttpResponse.BodyHandlers.ofInputStream());
    String type = answer.headers().firstValue("Content-Type").orElse("");
    if (answer.statusCode() != 200 || !type.startsWith("text/event-stream")) {
      throw new IOException(request.uri() + " answers " + answer.statusCode() + " " + type);
    }
    body = answer.body();
    lines = new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8));
  }

  /** The data of the next event, which must be of a topic; empty: the stream has ended. */
  Optional<JsonNode> poll(String topic) throws IOException {
    String event = "";
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (line.startsWith("event:")) {
        event = line.substring("event:".length()).strip();
      } else if (line.startsWith("data:")) {
        if (!event.equals(topic)) {
          throw new IOException("an event of " + event + " on a stream of " + topic);
        }
        return Optional.of(JSON.readTree(line.substring("data:".length())));
      }
    }
    return Optional.empty();
  }

  /** The same of a stream that goes on. */
  JsonNode next(String topic) throws IOException {
    return poll(topic).orElseThrow(() -> new IOException("the stream has ended"));
  }

  @Override
  public void close() throws IOException {
    body.close();
  }
}
