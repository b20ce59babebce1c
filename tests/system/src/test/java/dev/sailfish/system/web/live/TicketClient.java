package dev.sailfish.system.web.live;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.PrivilegedExceptionAction;
import java.time.Duration;
import java.util.Base64;
import java.util.Set;
import java.util.TreeSet;
import javax.security.auth.Subject;
import org.ietf.jgss.GSSContext;
import org.ietf.jgss.GSSManager;
import org.ietf.jgss.GSSName;
import org.ietf.jgss.Oid;

/**
 * A user's program that shows the user's Kerberos ticket to a web server with each question. For
 * one thread.
 *
 * @param base {@code http://host:port}; tickets are for this host
 * @param user who has logged in
 */
record TicketClient(String base, Subject user) {
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration DEADLINE = Duration.ofSeconds(20);
  private static final String SPNEGO = "1.3.6.1.5.5.2";

  /** Without a ticket. */
  static HttpResponse<String> asStranger(URI place) throws IOException, InterruptedException {
    return send(request(place));
  }

  private static HttpRequest.Builder request(URI place) {
    return HttpRequest.newBuilder(place).timeout(DEADLINE).header("Accept", "application/json");
  }

  private static HttpResponse<String> send(HttpRequest.Builder request)
      throws IOException, InterruptedException {
    return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  /** The answer, whatever it is. */
  HttpResponse<String> answer(String path) throws Exception {
    URI place = URI.create(base + path);
    byte[] token =
        Subject.doAs(user, (PrivilegedExceptionAction<byte[]>) () -> token(place.getHost()));
    String proof = "Negotiate " + Base64.getEncoder().encodeToString(token);
    return send(request(place).header("Authorization", proof));
  }

  private static byte[] token(String host) throws Exception {
    GSSManager manager = GSSManager.getInstance();
    GSSName server = manager.createName("HTTP@" + host, GSSName.NT_HOSTBASED_SERVICE);
    GSSContext context =
        manager.createContext(server, new Oid(SPNEGO), null, GSSContext.DEFAULT_LIFETIME);
    try {
      context.requestMutualAuth(true);
      return context.initSecContext(new byte[0], 0, 0);
    } finally {
      context.dispose();
    }
  }

  /** The answer, which has to be good. */
  JsonNode get(String path) throws Exception {
    HttpResponse<String> answer = answer(path);
    assertThat(answer.statusCode()).as("%s: %s", path, answer.body()).isEqualTo(200);
    return JSON.readTree(answer.body());
  }

  /** Ids of the jobs that the web process lists. */
  Set<String> jobs() throws Exception {
    return new TreeSet<>(get("/api/v1/jobs").path("items").findValuesAsText("id"));
  }
}
