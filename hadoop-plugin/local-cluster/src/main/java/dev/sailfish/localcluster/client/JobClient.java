package dev.sailfish.localcluster.client;

import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.Distribution;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Runs a job jar in a client JVM that has the cluster's configuration, Hadoop's jars and, for
 * delegation tokens, the client jar on its class path and nothing else, through Hadoop's own {@code
 * RunJar}: what {@code hadoop jar} does.
 */
public final class JobClient {
  private static final String MAIN = "org.apache.hadoop.util.RunJar";
  private static final Duration POLL = Duration.ofMillis(250);

  private final Distribution distribution;
  private final Path clusterConf;

  /**
   * A client of one cluster.
   *
   * @param distribution where Hadoop's jars are
   * @param clusterConf the cluster's configuration directory
   */
  public JobClient(Distribution distribution, Path clusterConf) {
    this.distribution = distribution;
    this.clusterConf = clusterConf;
  }

  /**
   * Runs the job jar and waits for it, for as long as it takes; the client talks to the launcher's
   * own terminal. Returns its exit code.
   */
  public int runInForeground(JobRequest request) {
    try (ClientConfiguration configuration =
        ClientConfiguration.create(clusterConf, request.configuration())) {
      return new Child(request, configuration, Optional.empty()).awaitExit();
    }
  }

  /**
   * Runs the job jar and waits for it. Returns its exit code.
   *
   * @param request what to run
   * @param log receives what the client prints
   * @param deadline after which the client is ended, which is an error
   * @param whileWaiting called again and again until the client has ended
   */
  public int run(JobRequest request, Path log, Duration deadline, Runnable whileWaiting) {
    try (ClientConfiguration configuration =
        ClientConfiguration.create(clusterConf, request.configuration())) {
      return new Child(request, configuration, Optional.of(log.toFile()))
          .awaitExit(deadline, whileWaiting);
    }
  }

  /** One client JVM, which does not outlive this one. */
  private final class Child {
    private final Process process;
    private final Thread hook;

    Child(JobRequest request, ClientConfiguration configuration, Optional<File> log) {
      List<String> command =
          new ArrayList<>(List.of(Distribution.java(), "-Xmx512m", "-XX:+UseSerialGC"));
      command.addAll(distribution.jvmOptions());
      command.addAll(
          List.of(
              "-cp",
              configuration.classPath()
                  + ":"
                  + distribution.hadoopClassPath()
                  + ":"
                  + distribution.clientJar(),
              MAIN));
      command.add(request.jar().toString());
      command.addAll(request.arguments());
      ProcessBuilder builder = new ProcessBuilder(command);
      builder.environment().put("HADOOP_CONF_DIR", configuration.directory().toString());
      if (log.isPresent()) {
        builder
            .redirectInput(new File("/dev/null"))
            .redirectErrorStream(true)
            .redirectOutput(log.get());
      } else {
        builder.inheritIO();
      }
      try {
        process = builder.start();
      } catch (IOException e) {
        throw new CommandException("Cannot start a job client: " + e.getMessage(), e);
      }
      hook = new Thread(process::destroy, "end-job-client");
      Runtime.getRuntime().addShutdownHook(hook);
    }

    int awaitExit() {
      try {
        return process.waitFor();
      } catch (InterruptedException e) {
        throw interrupted(e);
      } finally {
        release();
      }
    }

    int awaitExit(Duration deadline, Runnable whileWaiting) {
      long endNs = System.nanoTime() + deadline.toNanos();
      try {
        while (!process.waitFor(POLL.toMillis(), TimeUnit.MILLISECONDS)) {
          if (System.nanoTime() > endNs) {
            throw new CommandException(
                "The job did not end within " + deadline.toMinutes() + " minutes.");
          }
          whileWaiting.run();
        }
        return process.exitValue();
      } catch (InterruptedException e) {
        throw interrupted(e);
      } finally {
        release();
      }
    }

    private CommandException interrupted(InterruptedException e) {
      Thread.currentThread().interrupt();
      return new CommandException("Interrupted while a job ran.", e);
    }

    private void release() {
      process.destroy();
      Runtime.getRuntime().removeShutdownHook(hook);
    }
  }
}
