package dev.sailfish.ground.server.daemon;

import dev.sailfish.ground.config.Key;
import dev.sailfish.ground.config.KeySet;
import dev.sailfish.ground.config.Settings;
import dev.sailfish.ground.server.ServerConfig;
import dev.sailfish.ground.server.ServerKeys;
import dev.sailfish.ground.server.ServerMetric;
import dev.sailfish.ground.server.frame.EchoService;
import dev.sailfish.ground.server.guard.StandingWarnings;
import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.ground.wire.message.EmptyResponse;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.slf4j.LoggerFactory;

/** The daemon of these tests; it fails as soon as somebody asks it for anything. */
final class EchoDaemon implements Daemon {
  static final KeySet KEYS = new KeySet("sailfish.echo.");
  static final Key<Integer> PORT = KEYS.number("port", "0", "0..65535", "where it listens");
  static final ServerKeys SERVER = ServerKeys.of(KEYS, "0");

  private final CompletableFuture<String> failure = new CompletableFuture<>();
  private final DaemonPorts ports =
      new DaemonPorts(
          "echo",
          "127.0.0.1",
          new Metrics<>(ServerMetric.class),
          List.of(),
          new StandingWarnings(LoggerFactory.getLogger(EchoDaemon.class), System::nanoTime),
          json -> {});

  public static void main(String[] args) {
    DaemonMain.run("echo", args, EchoDaemon::read, EchoDaemon::start);
  }

  private static Settings read(Settings settings) {
    KEYS.check(settings);
    return settings;
  }

  private static EchoDaemon start(Settings settings) throws IOException {
    EchoDaemon daemon = new EchoDaemon();
    daemon.ports.open(
        EchoService.SERVICE,
        ServerConfig.of("echo", "127.0.0.1", settings.get(PORT)),
        request -> {
          request.reply(EmptyResponse.getDefaultInstance());
          daemon.failure.complete("somebody has asked");
        },
        null,
        DaemonSettings.of(settings, SERVER, false));
    return daemon;
  }

  @Override
  public String place() {
    return ports.place();
  }

  @Override
  public CompletableFuture<String> failure() {
    return failure;
  }

  @Override
  public void close() {
    ports.close();
    System.out.println("echo is closed");
  }
}
