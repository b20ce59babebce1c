package dev.sailfish.cli;

import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.introduction.JobTicket;
import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.Distribution;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sailfish ticket JOB}. */
@Command(
    name = "ticket",
    description =
        "Prints a ticket, with which a program outside YARN may begin the job of this name. Anyone"
            + " who has it may use it until it expires; the job may go on after that.",
    mixinStandardHelpOptions = true)
final class TicketCommand implements Callable<Integer> {
  private static final Pattern LIFETIME = Pattern.compile("([1-9][0-9]{0,5})([smhd])");
  private static final Pattern JOB = Pattern.compile("[A-Za-z0-9._-]{1,87}");
  private static final Pattern USER = Pattern.compile("\\P{Cntrl}{1,255}");

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
          "For how long the job may be begun: a number and s, m, h or d (default: ${DEFAULT-VALUE}).")
  private String lifetime;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    if (!JOB.matcher(job).matches() || !USER.matcher(user).matches()) {
      throw new CommandException(
          "job "
              + job
              + " of user "
              + user
              + ": the job must match "
              + JOB
              + ", the user "
              + USER
              + ".");
    }
    byte[] clusterSecret =
        secret
            .orLocal(options.layout(Distribution.current()))
            .orElseThrow(
                () ->
                    new CommandException(
                        "A ticket is made from the cluster's secret: name its file with"
                            + " --secret-file FILE."));
    long expiryMs = Network.SOCKETS.wallMs() + lifetime().toMillis();
    spec.commandLine()
        .getOut()
        .println(JobTicket.text(JobTicket.of(clusterSecret, job, user, expiryMs)));
    return 0;
  }

  private Duration lifetime() {
    Matcher matcher = LIFETIME.matcher(lifetime);
    if (!matcher.matches()) {
      throw new CommandException(
          "--lifetime is " + lifetime + ": write a number and s, m, h or d, for instance 90m.");
    }
    long number = Long.parseLong(matcher.group(1));
    return switch (matcher.group(2)) {
      case "s" -> Duration.ofSeconds(number);
      case "m" -> Duration.ofMinutes(number);
      case "h" -> Duration.ofHours(number);
      default -> Duration.ofDays(number);
    };
  }
}
