package dev.sailfish.cli;

import dev.sailfish.ground.config.HostPort;
import dev.sailfish.ground.wire.tls.SslFile;
import dev.sailfish.ground.wire.tls.TlsContext;
import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.RestClient;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sailfish health HOST:PORT}. */
@Command(
    name = "health",
    description =
        "Asks a daemon whether it is ready, and says so in a sentence. Exit code 0 if it is, else"
            + " 1.")
final class HealthCommand extends TerminalCommand {
  @Parameters(
      index = "0",
      paramLabel = "HOST:PORT",
      description = "The web address of a metaserver or a chunkserver.")
  private String address;

  @Option(
      names = "--serving",
      description =
          "Ask only whether the process serves, not whether those are there that it needs.")
  private boolean serving;

  @Mixin private TlsOptions tls;

  @Override
  public Integer call() throws IOException {
    String place = place();
    String wanted = serving ? "serving" : "ready";
    Optional<Path> file = tls.file();
    RestClient web =
        file.isPresent()
            ? new RestClient("https://" + place, Optional.of(context(file.get())))
            : new RestClient("http://" + place);
    try {
      RestClient.Answer answer = web.ask(serving ? "/health" : "/ready");
      String reasons = answer.text().strip().replaceFirst("^not ready\\n", "");
      out()
          .println(
              answer.isOk()
                  ? place + " is " + wanted + "."
                  : place + " is not " + wanted + ": " + reasons.replace("\n", "; ") + ".");
      return answer.isOk() ? 0 : 1;
    } catch (IOException e) {
      String cause = e instanceof ConnectException ? "no connection" : e.toString();
      out().println(place + " does not answer: " + cause + ".");
      return 1;
    }
  }

  private static TlsContext context(Path file) throws IOException {
    return TlsContext.ofClient("TLS client file=" + file, SslFile.read("TLS client file", file));
  }

  private String place() {
    try {
      return HostPort.parse(address).toString();
    } catch (IllegalArgumentException e) {
      throw new CommandException(
          address + " is not HOST:PORT: write, for instance, localhost:19851.", e);
    }
  }
}
