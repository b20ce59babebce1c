package dev.sailfish.system.yarn.chain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.lineage.client.FileInput;
import dev.sailfish.lineage.protocol.wire.FileEntry;
import dev.sailfish.system.SailfishCommand.Result;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** One chain of jobs, and kills while it runs, while its files are copied below and made again. */
final class ChainRound implements Closeable {
  /** Of the outputs. */
  static final List<String> NAMES = List.of("words", "sorted", "found");

  private static final Duration LOOK = Duration.ofMillis(20);

  /** For all files to be made again and read back. */
  private static final Duration READ = Duration.ofMinutes(8);

  private static final List<Victim> ANY = List.of(Victim.values());

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final ChainCluster cluster;
  private final List<Path> expected;
  private final SplittableRandom random;
  private final ChainTally tally;

  /** Outputs of the jobs; one that was deleted is null. */
  private final List<String> outputs = new ArrayList<>();

  /**
   * @param expected what is in each output directory
   */
  ChainRound(
      ChainCluster cluster,
      int number,
      List<Path> expected,
      SplittableRandom random,
      ChainTally tally) {
    this.cluster = cluster;
    this.expected = expected;
    this.random = random;
    this.tally = tally;
    boolean below = random.nextBoolean();
    for (String name : NAMES) {
      outputs.add((below ? "/below" : "/memory") + "/round-" + number + "/" + name);
      below = !below;
    }
  }

  void run() throws Exception {
    Future<Result> chain = threads.submit(this::runChain);
    int kills = 1 + random.nextInt(2);
    for (int i = 0; i < kills && awaitPhase(Phase.WRITE, chain::isDone); i++) {
      kill(Phase.WRITE, ANY);
    }
    if (awaitPhase(Phase.CHECKPOINT, chain::isDone)) {
      kill(Phase.CHECKPOINT, ANY);
    }
    get(chain, ChainCluster.CHAIN);
    tally.chainEnded();
    delete();
    lose();
    Future<?> readers = threads.submit(this::readAll);
    kills = 1 + random.nextInt(3);
    for (int i = 0; i < kills && awaitPhase(Phase.RECOMPUTE, () -> noneLost(readers)); i++) {
      kill(Phase.RECOMPUTE, ANY);
    }
    get(readers, READ);
    for (String output : outputs) {
      if (output != null) {
        cluster.client().namespace().delete(output, true);
      }
    }
  }

  private Result runChain() throws Exception {
    return cluster.chain(
        "sailfish",
        List.of("-Dsailfish.test.chain.pace.ms=3000"),
        "lineage:///below/text",
        outputs.stream().map(output -> "lineage://" + output).toList());
  }

  private <T> T get(Future<T> future, Duration deadline) throws Exception {
    try {
      return future.get(deadline.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new AssertionError("outputs " + outputs + ": " + e.getCause(), e.getCause());
    } catch (TimeoutException e) {
      throw new AssertionError(
          "not done in " + deadline + ": " + outputs + ", lost: " + cluster.lost(), e);
    }
  }

  private interface Ended {
    boolean hasEnded() throws IOException;
  }

  /** Waits for a phase; false when what it belongs to has ended before. */
  private boolean awaitPhase(Phase phase, Ended ended) throws IOException {
    List<Boolean> seen = new ArrayList<>();
    await(phase + " of " + outputs)
        .atMost(ChainCluster.CHAIN)
        .pollDelay(Duration.ZERO)
        .pollInterval(LOOK)
        .until(
            () -> {
              boolean isIn = cluster.isIn(phase);
              if (isIn || ended.hasEnded()) {
                seen.add(isIn);
              }
              return !seen.isEmpty();
            });
    return seen.get(0);
  }

  private boolean noneLost(Future<?> readers) throws IOException {
    return readers.isDone() || cluster.lost().isEmpty();
  }

  private void kill(Phase phase, List<Victim> victims) throws Exception {
    Victim victim = victims.get(random.nextInt(victims.size()));
    System.out.println(phase + ": " + victim + " " + outputs);
    cluster.kill(victim, random);
    tally.killed(phase, victim);
  }

  /** Deletes what others were made of, in some rounds. */
  private void delete() throws IOException {
    for (int i = 0; i < 2; i++) {
      if (random.nextInt(3) == 0) {
        cluster.client().namespace().delete(outputs.get(i), true);
        outputs.set(i, null);
        tally.deleted();
      }
    }
  }

  /** What a worker has of the outputs is gone with it. */
  private void lose() throws Exception {
    for (int i = NAMES.size() - 1; i >= 0; i--) {
      String output = outputs.get(i);
      if (output != null && output.startsWith("/memory/")) {
        List<FileEntry> files = new ArrayList<>();
        cluster.client().namespace().list(output, files::add);
        files.removeIf(file -> file.getLength() == 0);
        FileEntry file = files.get(random.nextInt(files.size()));
        System.out.println(Phase.QUIET + ": the worker of " + output + "/" + file.getName());
        cluster.emptyHolder(file.getFid());
        tally.killed(Phase.QUIET, Victim.EMPTIED_WORKER);
        break;
      }
    }
    cluster.awaitLoss();
    tally.lost(cluster.lost().size());
  }

  private Void readAll() throws IOException {
    for (int i = 0; i < outputs.size(); i++) {
      if (outputs.get(i) != null) {
        read(outputs.get(i), expected.get(i));
      }
    }
    return null;
  }

  private void read(String output, Path directory) throws IOException {
    for (int reduce = 0; reduce < 2; reduce++) {
      String name = "part-r-0000" + reduce;
      try (FileInput in = cluster.client().open(output + "/" + name)) {
        assertThat(new String(in.readAllBytes(), StandardCharsets.ISO_8859_1))
            .as("%s/%s", output, name)
            .isEqualTo(Files.readString(directory.resolve(name), StandardCharsets.ISO_8859_1));
      }
      tally.read();
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
