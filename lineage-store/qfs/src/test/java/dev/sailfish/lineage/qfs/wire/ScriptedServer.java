package dev.sailfish.lineage.qfs.wire;

import dev.sailfish.ground.config.HostPort;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A peer that answers each request with the bytes that a test says, right or wrong. Each connection
 * has a thread of its own, which ends with it.
 */
public final class ScriptedServer implements Closeable {
  private final ServerSocket listening;
  private final Script script;
  private final List<Asked> requests = new CopyOnWriteArrayList<>();
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();

  /** What a request said. */
  public record Asked(String operation, Map<String, String> fields) {
    /** A header's number. */
    public long number(String name) {
      return Long.parseLong(fields.get(name));
    }

    /** A good reply to it. */
    public byte[] ok(String... headers) {
      return reply(0, "", headers);
    }

    /** Any reply to it. */
    public byte[] reply(int status, String body, String... headers) {
      StringBuilder text = new StringBuilder("OK\r\n");
      text.append("Cseq: ").append(fields.get("Cseq")).append("\r\nStatus: ").append(status);
      for (String header : headers) {
        text.append("\r\n").append(header);
      }
      if (!body.isEmpty()) {
        text.append("\r\nContent-length: ").append(body.length());
      }
      return text.append("\r\n\r\n").append(body).toString().getBytes(StandardCharsets.UTF_8);
    }
  }

  /** Says what is answered. */
  public interface Script {
    /** The bytes; empty: nothing; null: the connection ends. */
    byte[] answer(Asked asked);
  }

  /** Listens on loopback at once. */
  public ScriptedServer(Script script) throws IOException {
    this.script = script;
    this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    start(this::accept);
  }

  /** Where. */
  public HostPort address() {
    return new HostPort("127.0.0.1", listening.getLocalPort());
  }

  /** All requests so far, in the order they came. */
  public List<Asked> requests() {
    return requests;
  }

  private static void start(Runnable work) {
    Thread thread = new Thread(work, "scripted server");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    try {
      while (!listening.isClosed()) {
        Socket socket = listening.accept();
        sockets.add(socket);
        start(() -> serve(socket));
      }
    } catch (IOException e) {
      // The test has closed it.
      sockets.clear();
    }
  }

  private void serve(Socket socket) {
    try (socket;
        InputStream in = socket.getInputStream();
        OutputStream out = socket.getOutputStream()) {
      Asked asked = read(in);
      while (asked != null) {
        requests.add(asked);
        byte[] answer = script.answer(asked);
        if (answer == null) {
          return;
        }
        out.write(answer);
        asked = read(in);
      }
    } catch (IOException e) {
      // The client has closed it, as many tests want it to.
      sockets.remove(socket);
    }
  }

  private static Asked read(InputStream in) throws IOException {
    String operation = line(in).strip();
    if (operation.isEmpty()) {
      return null;
    }
    Map<String, String> fields = new LinkedHashMap<>();
    for (String line = line(in); !line.isEmpty(); line = line(in)) {
      int colon = line.indexOf(':');
      fields.put(line.substring(0, colon), line.substring(colon + 1).strip());
    }
    if (operation.equals("WRITE_PREPARE")) {
      in.skipNBytes(Long.parseLong(fields.get("Num-bytes")));
    }
    return new Asked(operation, fields);
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c >= 0 && c != '\n'; c = in.read()) {
      line.append((char) c);
    }
    return line.toString().stripTrailing();
  }

  @Override
  public void close() throws IOException {
    listening.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
