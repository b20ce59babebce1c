package dev.sailfish.localcluster;

import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/**
 * How to start one daemon and how to see that it serves.
 *
 * @param name as users see it
 * @param command program and arguments
 * @param environment what is added to the launcher's environment
 * @param address {@code host:port} of its main service
 * @param web {@code http://host:port} of its web server, or empty
 * @param ready asked until it says that the daemon serves; quick, and false when in doubt
 */
record DaemonSpec(
    String name,
    List<String> command,
    Map<String, String> environment,
    String address,
    String web,
    BooleanSupplier ready) {

  DaemonSpec {
    command = List.copyOf(command);
    environment = Map.copyOf(environment);
  }
}
