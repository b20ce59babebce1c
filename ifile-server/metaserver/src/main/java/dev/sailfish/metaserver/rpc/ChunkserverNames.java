package dev.sailfish.metaserver.rpc;

import dev.sailfish.ground.server.LoopbackName;
import dev.sailfish.ground.server.guard.GuardedTimer;
import dev.sailfish.ground.server.guard.StandingWarnings;
import dev.sailfish.ground.wire.Clock;
import dev.sailfish.metaserver.state.ServerInfo;
import java.io.Closeable;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks whether tasks can use the names under which chunkservers have registered: one that cannot
 * be resolved, or that leads each host to itself while servers are on several hosts, gets no byte
 * although its server is live. On a thread of its own, which may wait for a name service; new names
 * are looked up within a second, all of them again each minute.
 */
public final class ChunkserverNames implements Closeable {
  static final String TOPIC = "chunkserver names";
  private static final Logger LOG = LoggerFactory.getLogger(ChunkserverNames.class);
  private static final long PERIOD_MS = 1_000;
  private static final long AGAIN_NS = TimeUnit.MINUTES.toNanos(1);
  private static final int MAX_NAMED = 10;

  private final Supplier<List<Registered>> live;
  private final Resolver resolver;
  private final StandingWarnings warnings;
  private final Clock clock;
  private final ScheduledExecutorService executor;
  private Map<Registered, Look> looks = new HashMap<>();
  private volatile long misnamed;

  /**
   * A live chunkserver.
   *
   * @param id of the server
   * @param host under which it has registered
   * @param port of its protocol
   * @param peer the address that it sends heartbeats from; absent before the first one
   */
  public record Registered(String id, String host, int port, Optional<InetAddress> peer) {
    /** As the core knows it: its session is the text of a socket address. */
    public static Registered of(ServerInfo server) {
      return new Registered(server.id(), server.host(), server.port(), addressOf(server.session()));
    }

    private static Optional<InetAddress> addressOf(String session) {
      int from = session.lastIndexOf('/') + 1;
      int to = session.lastIndexOf(':');
      if (from == 0 || to <= from) {
        return Optional.empty();
      }
      try {
        // Behind the slash there are digits only: no name service is asked.
        return Optional.of(InetAddress.getByName(session.substring(from, to)));
      } catch (UnknownHostException e) {
        return Optional.empty();
      }
    }

    boolean isElsewhere() {
      return peer.isPresent() && !LoopbackName.isHere(peer.get());
    }
  }

  /** What a name service says. */
  public interface Resolver {
    /**
     * All addresses of a name; may wait for the name service.
     *
     * @throws UnknownHostException when there are none
     */
    InetAddress[] addressesOf(String host) throws UnknownHostException;
  }

  /**
   * What was found out last.
   *
   * @param addresses none when the name cannot be resolved
   * @param elsewhere whether the server is surely on another host than this one
   * @param atNs when
   */
  private record Look(List<InetAddress> addresses, boolean elsewhere, long atNs) {}

  /**
   * @param live the chunkservers that are live, if this metaserver leads; called once a second
   * @param clock of when it is due
   */
  public ChunkserverNames(
      Supplier<List<Registered>> live, Resolver resolver, StandingWarnings warnings, Clock clock) {
    this.live = live;
    this.resolver = resolver;
    this.warnings = warnings;
    this.clock = clock;
    this.executor = new GuardedTimer("metaserver-names");
  }

  /** Starts to look. */
  public void start() {
    executor.scheduleWithFixedDelay(this::round, PERIOD_MS, PERIOD_MS, TimeUnit.MILLISECONDS);
  }

  private void round() {
    try {
      look();
      warnings.repeat();
    } catch (RuntimeException e) {
      LOG.error("looking up chunkservers' names failed, and goes on", e);
    }
  }

  /** One look at all servers, on the caller's thread. */
  void look() {
    List<Registered> servers = live.get();
    Map<Registered, Look> fresh = new HashMap<>();
    for (Registered server : servers) {
      Look known = looks.get(server);
      boolean due = known == null || clock.nanoTime() - known.atNs() >= AGAIN_NS;
      fresh.put(server, due ? resolve(server) : known);
    }
    looks = fresh;
    boolean severalHosts = fresh.values().stream().anyMatch(Look::elsewhere);
    List<String> faults = new ArrayList<>();
    for (Registered server : servers) {
      faultOf(server.host(), fresh.get(server), severalHosts)
          .ifPresent(fault -> faults.add(describe(server, fault)));
    }
    misnamed = faults.size();
    tell(faults);
  }

  private void tell(List<String> faults) {
    if (faults.isEmpty()) {
      warnings.clear(TOPIC);
      return;
    }
    int more = faults.size() - MAX_NAMED;
    warnings.raise(
        TOPIC,
        ("tasks cannot use the names of chunkservers=%d, which get no data; set"
                + " sailfish.chunkserver.host there to a name that all hosts know: %s%s")
            .formatted(
                faults.size(),
                String.join("; ", faults.subList(0, Math.min(MAX_NAMED, faults.size()))),
                more > 0 ? "; and " + more + " more" : ""),
        "");
  }

  private static String describe(Registered server, String fault) {
    String from = server.peer().map(peer -> " from " + peer.getHostAddress()).orElse("");
    return "'%s:%d' (id=%s%s) %s".formatted(server.host(), server.port(), server.id(), from, fault);
  }

  private Look resolve(Registered server) {
    List<InetAddress> addresses = List.of();
    try {
      addresses = Arrays.asList(resolver.addressesOf(server.host()));
    } catch (UnknownHostException e) {
      LOG.debug("host={} cannot be resolved", server.host(), e);
    }
    return new Look(addresses, server.isElsewhere(), clock.nanoTime());
  }

  private static Optional<String> faultOf(String host, Look look, boolean severalHosts) {
    if (look.addresses().isEmpty()) {
      return Optional.of("cannot be resolved here");
    }
    if (LoopbackName.is(host)) {
      return severalHosts ? Optional.of("leads each host to itself") : Optional.empty();
    }
    // A server beside this one may well have a loopback address here and another one elsewhere.
    boolean wrong =
        look.elsewhere() && look.addresses().stream().allMatch(InetAddress::isLoopbackAddress);
    return wrong
        ? Optional.of("leads to this host itself, and it is on another")
        : Optional.empty();
  }

  /** How many live servers had a name at the last look that tasks cannot use. */
  public long misnamed() {
    return misnamed;
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }
}
