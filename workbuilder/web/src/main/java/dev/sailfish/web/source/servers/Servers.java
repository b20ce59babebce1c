package dev.sailfish.web.source.servers;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sailfish.ground.wire.Clock;
import dev.sailfish.protocol.client.ChunkserverClient;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.protocol.wire.ServerStatusResponse;
import dev.sailfish.web.source.JsonPages;
import dev.sailfish.web.source.Reach;
import dev.sailfish.web.source.shuffle.ChunkPlace;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * How the servers are: metaservers and chunkservers over the protocol and by their pages, other
 * daemons by their pages. Chunkservers are those that jobs' chunks have named. {@link #round} is
 * for one thread, all else for any.
 */
public final class Servers implements Closeable {
  private static final int THREADS = 8;
  private static final long ROUND_DEADLINE_S = 30;
  private static final long FORGOTTEN_MS = 600_000;

  private final Map<InetSocketAddress, MetaserverClient> metaservers = new LinkedHashMap<>();
  private final Map<String, String> named;
  private final Reach reach;
  private final JsonPages pages;
  private final Clock clock;
  private final ExecutorService threads;
  private final Map<String, Seen> chunkservers = new ConcurrentHashMap<>();
  // By what was asked.
  private final Map<String, ServerRow> rows = new ConcurrentHashMap<>();
  private final Map<String, JsonNode> details = new ConcurrentHashMap<>();
  private volatile ClusterView view = ClusterView.EMPTY;
  private Led led; // of the rounds; null: no leader was heard yet

  /** What the metaserver that led last said of users. */
  private record Led(JsonNode page, long atMs) {}

  private record Seen(ChunkPlace place, StatusPage.Drain drain, long atMs) {}

  private interface Status {
    ServerStatusResponse ask() throws IOException;
  }

  /**
   * Does not connect yet.
   *
   * @param metaservers all of them
   * @param named addresses of further daemons' pages, {@code http://host:port}, by name
   * @param pages of daemons: how these are asked for; its base says whether over TLS
   */
  public Servers(
      List<InetSocketAddress> metaservers,
      Map<String, String> named,
      Reach reach,
      JsonPages pages,
      Clock clock) {
    for (InetSocketAddress address : metaservers) {
      this.metaservers.put(
          address,
          new MetaserverClient(
              reach.network(),
              List.of(address),
              Reach.CALLER,
              reach.credentials(),
              reach.deadline()));
    }
    this.named = Map.copyOf(named);
    this.reach = reach;
    this.pages = pages;
    this.clock = clock;
    this.threads =
        Executors.newFixedThreadPool(
            THREADS,
            work -> {
              Thread made = new Thread(work, "servers");
              made.setDaemon(true);
              return made;
            });
  }

  /** Chunks of a job are at these chunkservers. */
  public void saw(List<ChunkPlace> places) {
    long now = clock.wallMs();
    for (ChunkPlace place : places) {
      chunkservers.compute(
          place.address(),
          (address, seen) ->
              new Seen(place, seen == null ? StatusPage.Drain.NONE : seen.drain, now));
    }
  }

  /** What the last round found. */
  public ClusterView view() {
    return view;
  }

  /**
   * Asks all servers.
   *
   * @throws IOException when no metaserver answers
   */
  public void round() throws IOException {
    forget();
    List<Callable<Void>> questions = new ArrayList<>();
    metaservers.forEach(
        (address, client) -> {
          String at = address.getHostString() + ":" + address.getPort();
          ChunkPlace place = new ChunkPlace(ServerKinds.METASERVER, at, null);
          questions.add(() -> ask(ServerKinds.METASERVER, place, client::status));
        });
    chunkservers
        .values()
        .forEach(
            seen ->
                questions.add(
                    () -> ask(ServerKinds.CHUNKSERVER, seen.place, () -> status(seen.place))));
    named.forEach((name, base) -> questions.add(() -> askPage(name, base)));
    try {
      threads.invokeAll(questions, ROUND_DEADLINE_S, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted: asking servers");
    }
    view = made();
    learn();
    boolean heard =
        view.servers().stream()
            .anyMatch(server -> server.kind().equals(ServerKinds.METASERVER) && server.up());
    if (!metaservers.isEmpty() && !heard) {
      throw new IOException("no metaserver answers");
    }
  }

  /** The leader knows all chunkservers, those too that have nothing of a job. */
  private void learn() {
    JsonNode known = leader(view.servers());
    if (known == null) {
      return;
    }
    long now = clock.wallMs();
    for (JsonNode server : known.path("chunkservers")) {
      ChunkPlace place =
          new ChunkPlace(
              server.path("id").asText(),
              server.path("address").asText(),
              server.path("rack").asText());
      if (place.address().indexOf(':') > 0) {
        JsonNode left = server.path("chunks_left");
        StatusPage.Drain drain =
            new StatusPage.Drain(
                server.path("draining").asBoolean(), left.isNumber() ? (Long) left.asLong() : null);
        chunkservers.put(place.address(), new Seen(place, drain, now));
      }
    }
  }

  private void forget() {
    long now = clock.wallMs();
    chunkservers
        .values()
        .removeIf(
            seen -> {
              ServerRow row = rows.get(seen.place.address());
              boolean gone = now - seen.atMs > FORGOTTEN_MS && (row == null || !row.up());
              if (gone) {
                rows.remove(seen.place.address());
              }
              return gone;
            });
  }

  private ServerStatusResponse status(ChunkPlace place) throws IOException {
    int colon = place.address().lastIndexOf(':');
    InetSocketAddress address =
        new InetSocketAddress(
            place.address().substring(0, colon),
            Integer.parseInt(place.address().substring(colon + 1)));
    try (ChunkserverClient client =
        ChunkserverClient.connect(
            reach.network(), address, Reach.CALLER, reach.credentials(), reach.deadline())) {
      return client.status();
    }
  }

  private Void ask(String kind, ChunkPlace place, Status status) {
    String address = place.address();
    try {
      ServerStatusResponse answer = status.ask();
      String scheme = pages.base().substring(0, pages.base().indexOf(':'));
      String host = address.substring(0, address.lastIndexOf(':'));
      String web =
          answer.getWebPort() == 0 ? null : scheme + "://" + host + ":" + answer.getWebPort();
      StatusPage page = page(web, StatusPage.of(address, answer));
      page.details().ifPresent(found -> details.put(address, found));
      Seen seen = chunkservers.get(address);
      StatusPage.Drain drain = seen == null ? StatusPage.Drain.NONE : seen.drain;
      rows.put(address, page.row(web, place.rack(), drain, clock.wallMs()));
    } catch (IOException e) {
      String name = kind.equals(ServerKinds.CHUNKSERVER) ? kind + " " + place.id() : kind;
      rows.compute(address, (key, row) -> down(row, kind, name, address, null));
    }
    return null;
  }

  /** With what the daemon's page says, too, if it can be had. */
  private StatusPage page(String web, StatusPage known) {
    if (web == null) {
      return known;
    }
    try {
      StatusPage page = pages.at(web).get("/status").map(StatusPage::of).orElse(known);
      return new StatusPage(
          known.name(),
          known.address(),
          page.ready(),
          page.failing(),
          page.warnings(),
          known.metrics(),
          page.details());
    } catch (IOException e) {
      // Its page may ask for a token that this process does not have.
      return known;
    }
  }

  private Void askPage(String name, String base) {
    try {
      StatusPage page = pages.at(base).get("/status").map(StatusPage::of).orElse(null);
      if (page == null) {
        throw new IOException(base + " has no /status");
      }
      rows.put(base, page.row(base, null, StatusPage.Drain.NONE, clock.wallMs()));
    } catch (IOException e) {
      rows.compute(base, (key, row) -> down(row, ServerKinds.of(name), name, base, base));
    }
    return null;
  }

  private static ServerRow down(
      ServerRow before, String kind, String name, String address, String web) {
    boolean known = before != null;
    return new ServerRow(
        known ? before.kind() : kind,
        known ? before.name() : name,
        address,
        known ? before.web() : web,
        known ? before.rack() : null,
        false,
        false,
        false,
        known ? before.version() : null,
        known ? before.certificateEndMs() : null,
        known ? before.heardMs() : null,
        known ? before.tiers() : List.of(),
        null,
        null,
        false,
        null,
        List.of(),
        List.of());
  }

  /** What the page of the metaserver that leads says; null: nobody has read it. */
  private JsonNode leader(List<ServerRow> servers) {
    return servers.stream()
        .filter(server -> server.kind().equals(ServerKinds.METASERVER) && server.leads())
        .map(server -> details.get(server.address()))
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  private ClusterView made() {
    // One that is configured may be one that was found: what was found knows more.
    Set<String> found = new HashSet<>();
    rows.forEach((asked, row) -> found.add(named.containsValue(asked) ? "" : row.web()));
    List<ServerRow> servers =
        rows.entrySet().stream()
            .filter(row -> !named.containsValue(row.getKey()) || !found.contains(row.getKey()))
            .map(Map.Entry::getValue)
            .sorted(Comparator.comparing(ServerRow::kind).thenComparing(ServerRow::address))
            .toList();
    JsonNode leader = leader(servers);
    if (leader != null) {
      led = new Led(leader, clock.wallMs());
    }
    String brake = leader == null ? "" : leader.path("brake").asText("");
    List<UserRow> users = new ArrayList<>();
    Quota quota = new Quota(0, 0);
    if (led != null) {
      led.page.path("users").properties().forEach(user -> users.add(user(user)));
      quota =
          new Quota(led.page.at("/quota/ifiles").asLong(), led.page.at("/quota/bytes").asLong());
    }
    Long heard =
        servers.stream()
            .map(ServerRow::heardMs)
            .filter(Objects::nonNull)
            .max(Comparator.naturalOrder())
            .orElse(null);
    return new ClusterView(
        servers,
        users,
        quota,
        led == null ? null : (Long) led.atMs,
        brake,
        Advices.of(servers, brake, clock.wallMs()),
        heard);
  }

  private static UserRow user(Map.Entry<String, JsonNode> user) {
    JsonNode use = user.getValue();
    return new UserRow(
        user.getKey(),
        use.path("jobs").asLong(),
        use.path("kept").asLong(),
        use.path("ifiles").asLong(),
        use.path("bytes").asLong());
  }

  /** Ends all that is being asked. */
  @Override
  public void close() {
    threads.shutdownNow();
    metaservers.values().forEach(MetaserverClient::close);
  }
}
