package dev.sailfish.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** All ports and connections of a schedule, and what goes wrong with them. */
final class Internet {
  private final Scheduler scheduler;
  private final Map<Integer, Host> hosts = new HashMap<>();
  private final Set<Integer> unreachable = new HashSet<>();
  private final Set<Process> isolated = new HashSet<>();
  private final List<Link> links = new ArrayList<>();
  private final Process process = new Process("network");
  private final boolean endless;
  private Weather weather;
  private int lastPort = 20_000;

  /** Who listens on a port. */
  record Host(Process process, Listener listener) {}

  Internet(Scheduler scheduler, Weather weather, boolean endless) {
    this.scheduler = scheduler;
    this.weather = weather;
    this.endless = endless;
  }

  Scheduler scheduler() {
    return scheduler;
  }

  /** Whose doing what happens between the processes is. */
  Process process() {
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
  void calm() {
    weather = weather.calmed();
    unreachable.clear();
    isolated.clear();
    links.forEach(Link::healed);
  }

  void listen(int port, Process process, Listener listener) {
    hosts.put(port, new Host(process, listener));
  }

  /** Who listens there now, or null. */
  Host host(int port) {
    Host host = hosts.get(port);
    return host == null || !host.process().isAlive() ? null : host;
  }

  /** Whether nothing gets through between a client and a port now. */
  boolean isCutOff(Process client, int port) {
    return unreachable.contains(port) || isolated.contains(client);
  }

  /** Nothing gets through to or from what a process connects to, until it is healed. */
  void isolate(Process client) {
    isolated.add(client);
  }

  void heal(Process client) {
    isolated.remove(client);
    links.forEach(Link::healed);
  }

  /** Nothing gets through to or from a port until it is healed. */
  void cutOff(int port) {
    unreachable.add(port);
  }

  void heal(int port) {
    unreachable.remove(port);
    links.forEach(Link::healed);
  }

  /** A port for a client's end. */
  int nextPort() {
    return ++lastPort;
  }

  void add(Link link) {
    links.removeIf(Link::isOver);
    links.add(link);
  }

  /**
   * A process has died.
   *
   * @param silently whether its machine went with it, so that its peers are not told
   */
  void died(Process process, boolean silently) {
    for (Link link : List.copyOf(links)) {
      link.died(process, silently);
    }
  }

  /** Breaks one of the connections that are there. */
  void cutOne() {
    links.removeIf(Link::isOver);
    if (!links.isEmpty()) {
      links.get(scheduler.random().nextInt(links.size())).cut();
    }
  }
}
