package dev.sailfish.cli;

import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.introduction.JobTicket;
import dev.sailfish.localcluster.CommandException;
import java.io.IOException;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sailfish ticket JOB}. */
@Command(
    name = "ticket",
    description =
        "Prints a ticket, with which a program outside YARN may begin the job of this name. Anyone"
            + " who has it may use it until it expires; the job may go on after that.")
final class TicketCommand extends TerminalCommand {
  private static final String LIFETIME = "[1-9][0-9]{0,5}[smhd]";
  private static final String JOB = "[A-Za-z0-9._-]{1,87}";
  private static final String USER = "\\P{Cntrl}{1,255}";

  @Mixin private ClusterOptions options;

  @Mixin private SecretOptions secret;

  @Parameters(index = "0", paramLabel = "JOB", description = "Name of the job.")
  private String job;

  @Option(
      names = "--user",
      required = true,
      paramLabel = "USER",
      description = "To whom the job counts in quotas.")
  private String user;

  @Option(
      names = "--lifetime",
      paramLabel = "TIME",
      defaultValue = "1h",
      description =
          "For how long the job may be begun: a number and s, m, h or d (default:"
              + " ${DEFAULT-VALUE}).")
  private String lifetime;

  @Override
  public Integer call() throws IOException {
    require("The job's name", job, JOB);
    require("--user", user, USER);
    require("--lifetime", lifetime, LIFETIME);
    Duration time = Duration.parse((lifetime.endsWith("d") ? "P" : "PT") + lifetime);
    byte[] clusterSecret =
        secret
            .orLocal(options.layout())
            .orElseThrow(
                () ->
                    new CommandException(
                        "A ticket is made from the cluster's secret: name its file with"
                            + " --secret-file FILE."));
    long expiryMs = Network.SOCKETS.wallMs() + time.toMillis();
    out().println(JobTicket.text(JobTicket.of(clusterSecret, job, user, expiryMs)));
    return 0;
  }

  private static void require(String what, String value, String pattern) {
    if (!value.matches(pattern)) {
      throw new CommandException(what + " is " + value + ", but must match " + pattern + ".");
    }
  }
}
