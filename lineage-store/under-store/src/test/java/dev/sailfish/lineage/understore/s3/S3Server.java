package dev.sailfish.lineage.understore.s3;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.sailfish.lineage.understore.s3.Bucket.Condition;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * As much of S3 as S3A needs, with one bucket and its name in the path: objects with ranges and
 * conditions, listings, copies, uploads in parts, deletes in bulk. Signatures are not looked at.
 */
public final class S3Server implements Closeable {
  private static final Pattern RANGE = Pattern.compile("bytes=(\\d+)-(\\d*)");
  private static final Pattern KEY = Pattern.compile("<Key>([^<]*)</Key>");
  private static final String XML = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>";
  private static final DateTimeFormatter DATE =
      DateTimeFormatter.RFC_1123_DATE_TIME.withZone(ZoneOffset.UTC);

  static {
    // Or else each answer waits 40 ms for the client to acknowledge its head.
    System.setProperty("sun.net.httpserver.nodelay", "true");
  }

  private final String name;
  private final Bucket bucket = new Bucket();
  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final AtomicInteger left = new AtomicInteger(Integer.MAX_VALUE);
  private volatile Runnable before = () -> {};
  private volatile Runnable beforeChange = () -> {};

  /** Listens on a port of this machine. */
  public S3Server(String name) throws IOException {
    this.name = name;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::handle);
    server.start();
  }

  /** What S3A has as {@code fs.s3a.endpoint}. */
  public String endpoint() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** What is stored. */
  public Bucket bucket() {
    return bucket;
  }

  /** Runs something before each request, on the thread that answers. */
  public void before(Runnable action) {
    before = action;
  }

  /** Runs something before each request that changes an object. */
  public void beforeChange(Runnable action) {
    beforeChange = action;
  }

  /** Breaks the connection of each change but the first ones; nothing of it is done. */
  public void failAfter(int changes) {
    left.set(changes);
  }

  /** Whether a change has failed since. */
  public boolean hasFailed() {
    return left.get() < 0;
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      before.run();
      byte[] body = body(exchange);
      Request request = new Request(exchange, body);
      if (request.isChange()) {
        beforeChange.run();
        if (left.getAndDecrement() <= 0) {
          return; // no answer
        }
      }
      if (request.key.isEmpty()) {
        ofBucket(request);
      } else {
        ofObject(request);
      }
    }
  }

  private static byte[] body(HttpExchange exchange) throws IOException {
    byte[] sent = exchange.getRequestBody().readAllBytes();
    String sha = exchange.getRequestHeaders().getFirst("x-amz-content-sha256");
    return sha != null && sha.startsWith("STREAMING-") ? AwsChunks.content(sent) : sent;
  }

  private void ofBucket(Request request) throws IOException {
    if (request.is("POST") && request.query.containsKey("delete")) {
      Matcher keys = KEY.matcher(new String(request.body, StandardCharsets.UTF_8));
      while (keys.find()) {
        bucket.delete(plain(keys.group(1)));
      }
      request.answer(200, XML + "<DeleteResult/>");
    } else if (request.is("GET") && request.query.containsKey("list-type")) {
      list(request);
    } else if (request.is("GET") && request.query.containsKey("uploads")) {
      request.answer(200, XML + "<ListMultipartUploadsResult/>");
    } else if (request.is("GET") && request.query.containsKey("location")) {
      request.answer(200, XML + "<LocationConstraint>us-east-1</LocationConstraint>");
    } else {
      request.answer(request.is("HEAD") ? 200 : 501, "");
    }
  }

  private void list(Request request) throws IOException {
    String after = request.query.getOrDefault("continuation-token", "");
    after = after.isEmpty() ? request.query.getOrDefault("start-after", "") : after;
    Bucket.Page page =
        bucket.list(
            request.query.getOrDefault("prefix", ""),
            request.query.getOrDefault("delimiter", ""),
            after,
            Integer.parseInt(request.query.getOrDefault("max-keys", "1000")));
    StringBuilder xml = new StringBuilder(XML).append("<ListBucketResult>");
    xml.append("<Name>").append(name).append("</Name><IsTruncated>");
    xml.append(page.next().isPresent()).append("</IsTruncated>");
    page.next()
        .ifPresent(
            next ->
                xml.append("<NextContinuationToken>")
                    .append(escaped(next))
                    .append("</NextContinuationToken>"));
    page.objects()
        .forEach(
            (key, object) ->
                xml.append("<Contents><Key>")
                    .append(escaped(key))
                    .append("</Key><LastModified>")
                    .append(object.modified())
                    .append("</LastModified><ETag>&quot;")
                    .append(object.etag())
                    .append("&quot;</ETag><Size>")
                    .append(object.content().length)
                    .append("</Size><StorageClass>STANDARD</StorageClass></Contents>"));
    for (String prefix : page.prefixes()) {
      xml.append("<CommonPrefixes><Prefix>").append(escaped(prefix));
      xml.append("</Prefix></CommonPrefixes>");
    }
    request.answer(200, xml.append("</ListBucketResult>").toString());
  }

  private void ofObject(Request request) throws IOException {
    switch (request.exchange.getRequestMethod()) {
      case "HEAD", "GET" -> get(request);
      case "PUT" -> put(request);
      case "POST" -> post(request);
      case "DELETE" -> {
        if (request.query.containsKey("uploadId")) {
          bucket.abortUpload(request.query.get("uploadId"));
        } else {
          bucket.delete(request.key);
        }
        request.answer(204, "");
      }
      default -> request.answer(501, "");
    }
  }

  private void get(Request request) throws IOException {
    Optional<StoredObject> found = bucket.get(request.key);
    if (found.isEmpty()) {
      request.refuse(404, "NoSuchKey");
      return;
    }
    StoredObject object = found.get();
    Optional<String> wanted = request.condition("If-Match");
    if (wanted.isPresent() && !wanted.get().equals(object.etag())) {
      request.refuse(412, "PreconditionFailed");
      return;
    }
    request.describe(object);
    int length = object.content().length;
    Matcher range = RANGE.matcher(request.header("Range").orElse(""));
    if (!range.matches()) {
      request.send(200, object.content(), 0, length);
      return;
    }
    int from = Integer.parseInt(range.group(1));
    int to = range.group(2).isEmpty() ? length - 1 : Integer.parseInt(range.group(2));
    to = Math.min(to, length - 1);
    if (from > to) {
      request.refuse(416, "InvalidRange");
      return;
    }
    request
        .exchange
        .getResponseHeaders()
        .set("Content-Range", "bytes " + from + "-" + to + "/" + length);
    request.send(206, object.content(), from, to - from + 1);
  }

  private void put(Request request) throws IOException {
    Optional<byte[]> content =
        request.header("x-amz-copy-source").map(this::source).orElse(Optional.of(request.body));
    if (content.isEmpty()) {
      request.refuse(404, "NoSuchKey");
    } else if (request.query.containsKey("partNumber")) {
      int number = Integer.parseInt(request.query.get("partNumber"));
      Optional<String> tag = bucket.putPart(request.query.get("uploadId"), number, content.get());
      tag.ifPresent(etag -> request.exchange.getResponseHeaders().set("ETag", "\"" + etag + "\""));
      request.answer(tag.isPresent() ? 200 : 404, "");
    } else {
      made(
          request,
          bucket.put(request.key, content.get(), request.writeCondition()),
          "CopyObjectResult");
    }
  }

  private Optional<byte[]> source(String header) {
    String path = decoded(header.replace("+", "%2B"));
    String key = path.substring(path.indexOf(name) + name.length() + 1);
    return bucket.get(key).map(StoredObject::content);
  }

  private void post(Request request) throws IOException {
    if (request.query.containsKey("uploads")) {
      request.answer(
          200,
          XML
              + "<InitiateMultipartUploadResult><UploadId>"
              + bucket.beginUpload()
              + "</UploadId></InitiateMultipartUploadResult>");
    } else {
      made(
          request,
          bucket.complete(request.key, request.query.get("uploadId"), request.writeCondition()),
          "CompleteMultipartUploadResult");
    }
  }

  private void made(Request request, Optional<StoredObject> object, String result)
      throws IOException {
    if (object.isEmpty()) {
      request.refuse(412, "PreconditionFailed");
      return;
    }
    String etag = object.get().etag();
    request.exchange.getResponseHeaders().set("ETag", "\"" + etag + "\"");
    String xml =
        "<LastModified>%s</LastModified><ETag>&quot;%s&quot;</ETag>"
            .formatted(object.get().modified(), etag);
    request.answer(200, XML + "<" + result + ">" + xml + "</" + result + ">");
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  private static String plain(String xml) {
    return xml.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&apos;", "'")
        .replace("&#39;", "'")
        .replace("&amp;", "&");
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }

  /** One request, and the answer to it. */
  private final class Request {
    private final HttpExchange exchange;
    private final byte[] body;
    private final String key;
    private final Map<String, String> query = new HashMap<>();

    Request(HttpExchange exchange, byte[] body) {
      this.exchange = exchange;
      this.body = body;
      URI uri = exchange.getRequestURI();
      String path = decoded(uri.getRawPath().replace("+", "%2B"));
      String beginning = "/" + name;
      String rest = path.startsWith(beginning) ? path.substring(beginning.length()) : path;
      this.key = rest.startsWith("/") ? rest.substring(1) : rest;
      String raw = uri.getRawQuery() == null ? "" : uri.getRawQuery();
      for (String word : raw.split("&")) {
        String[] parts = word.split("=", 2);
        query.put(decoded(parts[0]), parts.length < 2 ? "" : decoded(parts[1]));
      }
    }

    boolean is(String method) {
      return exchange.getRequestMethod().equals(method);
    }

    boolean isChange() {
      return !is("GET") && !is("HEAD");
    }

    Optional<String> header(String header) {
      return Optional.ofNullable(exchange.getRequestHeaders().getFirst(header));
    }

    Optional<String> condition(String header) {
      return header(header).map(text -> text.replace("\"", ""));
    }

    Condition writeCondition() {
      return new Condition(
          condition("If-None-Match").filter("*"::equals).isPresent(), condition("If-Match"));
    }

    void describe(StoredObject object) {
      Headers headers = exchange.getResponseHeaders();
      headers.set("ETag", "\"" + object.etag() + "\"");
      headers.set("Last-Modified", DATE.format(object.modified()));
      headers.set("Accept-Ranges", "bytes");
    }

    void refuse(int status, String code) throws IOException {
      answer(
          status, XML + "<Error><Code>" + code + "</Code><Message>" + key + "</Message></Error>");
    }

    void answer(int status, String text) throws IOException {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().put("Content-Type", List.of("application/xml"));
      send(status, bytes, 0, bytes.length);
    }

    void send(int status, byte[] bytes, int offset, int length) throws IOException {
      if (is("HEAD")) {
        exchange.getResponseHeaders().set("Content-Length", Integer.toString(length));
        exchange.sendResponseHeaders(status, -1);
        return;
      }
      exchange.sendResponseHeaders(status, length == 0 ? -1 : length);
      if (length > 0) {
        exchange.getResponseBody().write(bytes, offset, length);
      }
    }
  }
}
