package dev.sailfish.simulator;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** All ports and connections of a schedule, and what goes wrong with them. */
public final class Internet {
  private final Scheduler scheduler;
  private final Map<Integer, Host> hosts = new HashMap<>();
  private final Set<Integer> unreachable = new HashSet<>();
  private final Set<SimulatedProcess> isolated = new HashSet<>();
  private final List<Link> links = new ArrayList<>();
  private final SimulatedProcess process = new SimulatedProcess("network");
  private final boolean endless;
  private Weather weather;
  private int lastPort = 20_000;

  /** Who listens on a port. */
  public record Host(SimulatedProcess process, Listener listener) {}

  /**
   * @param endless whether waits for the network last until something comes, whatever their
   *     deadlines
   */
  public Internet(Scheduler scheduler, Weather weather, boolean endless) {
    this.scheduler = scheduler;
    this.weather = weather;
    this.endless = endless;
  }

  /** What decides when pieces arrive. */
  public Scheduler scheduler() {
    return scheduler;
  }

  /** Whose doing what happens between the processes is. */
  public SimulatedProcess process() {
    return process;
  }

  Weather weather() {
    return weather;
  }

  /** Whether waits have no end of their own. */
  boolean isEndless() {
    return endless;
  }

  /** From now on all goes well. */
  public void calm() {
    weather = weather.calmed();
    unreachable.clear();
    isolated.clear();
    links.forEach(Link::healed);
  }

  /** Connections to a port are taken by this process from now on, as long as it lives. */
  public void listen(int port, SimulatedProcess process, Listener listener) {
    hosts.put(port, new Host(process, listener));
  }

  /** Who listens there now, or null. */
  public Host host(int port) {
    Host host = hosts.get(port);
    return host == null || !host.process().isAlive() ? null : host;
  }

  /** Whether nothing gets through between a client and a port now. */
  public boolean isCutOff(SimulatedProcess client, int port) {
    return unreachable.contains(port) || isolated.contains(client);
  }

  /** Nothing gets through to or from what a process connects to, until it is healed. */
  public void isolate(SimulatedProcess client) {
    isolated.add(client);
  }

  /** Ends {@link #isolate}. */
  public void heal(SimulatedProcess client) {
    isolated.remove(client);
    links.forEach(Link::healed);
  }

  /** Nothing gets through to or from a port until it is healed. */
  public void cutOff(int port) {
    unreachable.add(port);
  }

  /** Ends {@link #cutOff}. */
  public void heal(int port) {
    unreachable.remove(port);
    links.forEach(Link::healed);
  }

  /** A port for a client's end. */
  public int nextPort() {
    return ++lastPort;
  }

  void add(Link link) {
    links.removeIf(Link::isOver);
    links.add(link);
  }

  /**
   * Kills a process: its connections break, and its actors end.
   *
   * @param silently whether its machine goes with it, so that its peers are not told
   */
  public void kill(SimulatedProcess process, boolean silently) {
    process.die();
    for (Link link : List.copyOf(links)) {
      link.died(process, silently);
    }
    scheduler.resumeAll(process);
  }

  /** Breaks one of the connections that are there. */
  public void cutOne() {
    links.removeIf(Link::isOver);
    if (!links.isEmpty()) {
      links.get(scheduler.random().nextInt(links.size())).cut();
    }
  }
}
