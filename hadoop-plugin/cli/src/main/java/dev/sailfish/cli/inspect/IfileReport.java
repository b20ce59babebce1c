package dev.sailfish.cli.inspect;

import dev.sailfish.cli.TextTable;
import dev.sailfish.format.ChunkTail;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.Ordering;
import dev.sailfish.format.UnsupportedFormatException;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.ProtocolException;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.localcluster.CommandException;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.client.ChunkserverClient;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.protocol.wire.ChunkDescription;
import dev.sailfish.protocol.wire.DescribeJobResponse;
import dev.sailfish.protocol.wire.JobSummary;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What the metaserver and the chunkservers know of I-files, as tables. For one thread. */
public final class IfileReport {
  /** Who asks, in the servers' logs. */
  public static final String CALLER = "cli ifile";

  /** All partitions of a job. */
  public static final int ALL = -1;

  private static final Duration DEADLINE = Duration.ofSeconds(10);
  private static final double PERCENT = 100;
  private static final Comparator<ChunkDescription> ORDER =
      Comparator.comparingInt(ChunkDescription::getPartition)
          .thenComparing(ChunkDescription::getRack)
          .thenComparing(ChunkDescription::getChunk, Long::compareUnsigned);

  private final List<InetSocketAddress> metaservers;
  private final Credentials credentials;
  private final Network network;
  private final PrintWriter out;

  /**
   * A report from the one of these metaservers that leads, and its chunkservers, to {@code out},
   * which stays open.
   */
  public IfileReport(
      Network network,
      List<InetSocketAddress> metaservers,
      Credentials credentials,
      PrintWriter out) {
    this.network = network;
    this.metaservers = metaservers;
    this.credentials = credentials;
    this.out = out;
  }

  /** One line per job. */
  public void listJobs() {
    List<JobSummary> jobs = ask("list its jobs", MetaserverClient::listJobs).getJobsList();
    if (jobs.isEmpty()) {
      out.println("The metaserver at " + address() + " knows no job.");
      return;
    }
    TextTable table =
        new TextTable(
            "job",
            "user",
            "partitions",
            "ordering",
            "codec",
            "chunk bytes",
            "chunks",
            "manifests",
            "raw bytes",
            "lease renewed");
    for (JobSummary job : jobs) {
      table.add(
          job.getJob(),
          job.getUser(),
          Integer.toString(job.getPartitions()),
          orderingName(job.getOrdering()),
          codecName(job.getCodec()),
          Long.toString(job.getChunkBytes()),
          Integer.toString(job.getChunks()),
          Integer.toString(job.getManifests()),
          Long.toString(job.getRawBytes()),
          job.getLeaseAgeMs() / 1000 + " s ago");
    }
    print(table);
  }

  /** One line per chunk. */
  public void listChunks(String job, int partition) {
    DescribeJobResponse description = describe(job, partition);
    if (description.getChunksCount() == 0) {
      out.println(
          "No chunk holds anything of "
              + (partition == ALL ? job : "partition " + partition + " of " + job)
              + ".");
      return;
    }
    TextTable table =
        new TextTable(
            "chunk",
            "partition",
            "rack",
            "state",
            "server",
            "raw bytes",
            "stored bytes",
            "records",
            "appenders");
    for (ChunkDescription chunk : ordered(description)) {
      table.add(
          id(chunk),
          Integer.toString(chunk.getPartition()),
          chunk.getRack(),
          stateName(chunk),
          server(chunk),
          Long.toString(chunk.getRawBytes()),
          Long.toString(chunk.getStoredBytes()),
          Long.toString(chunk.getRecords()),
          Integer.toString(chunk.getAppenders()));
    }
    print(table);
  }

  /** Totals of each I-file of a partition, and what is inside its SORTED chunks. */
  public void stat(String job, int partition) {
    DescribeJobResponse description = describe(job, partition);
    JobSummary summary = description.getSummary();
    out.println("job        " + job + " of " + summary.getUser());
    out.println("partition  " + partition + " of " + summary.getPartitions());
    out.println("ordering   " + orderingName(summary.getOrdering()));
    out.println("codec      " + codecName(summary.getCodec()));
    out.println("encrypted  " + (summary.getEncrypted() ? "yes" : "no"));
    out.println("manifests  " + summary.getManifests() + " (committed map attempts of the job)");
    Map<String, List<ChunkDescription>> ifiles = new TreeMap<>();
    for (ChunkDescription chunk : ordered(description)) {
      ifiles.computeIfAbsent(chunk.getRack(), rack -> new ArrayList<>()).add(chunk);
    }
    if (ifiles.isEmpty()) {
      out.println("chunks     none: no map task has written to this partition");
      return;
    }
    out.println();
    TextTable table =
        new TextTable(
            "I-file of rack",
            "chunks",
            "open",
            "stable",
            "sorted",
            "lost",
            "raw bytes",
            "stored bytes",
            "records",
            "appenders",
            "full");
    ifiles.forEach((rack, chunks) -> addTotals(table, rack, chunks, summary.getChunkBytes()));
    print(table);
    statSorted(job, ordered(description));
    out.flush();
  }

  private static void addTotals(
      TextTable table, String rack, List<ChunkDescription> chunks, long chunkBytes) {
    long raw = chunks.stream().mapToLong(ChunkDescription::getRawBytes).sum();
    table.add(
        rack,
        Integer.toString(chunks.size()),
        count(chunks, ChunkState.OPEN),
        count(chunks, ChunkState.STABLE),
        count(chunks, ChunkState.SORTED),
        count(chunks, ChunkState.LOST),
        Long.toString(raw),
        Long.toString(chunks.stream().mapToLong(ChunkDescription::getStoredBytes).sum()),
        Long.toString(chunks.stream().mapToLong(ChunkDescription::getRecords).sum()),
        Long.toString(chunks.stream().mapToLong(ChunkDescription::getAppenders).sum()),
        String.format(
            Locale.ROOT, "%.1f%%", PERCENT * raw / Math.max(1, chunkBytes * chunks.size())));
  }

  private static String count(List<ChunkDescription> chunks, ChunkState state) {
    return Long.toString(chunks.stream().filter(chunk -> chunk.getState() == state.code()).count());
  }

  private void statSorted(String job, List<ChunkDescription> chunks) {
    TextTable table =
        new TextTable("sorted chunk", "runs", "sources", "index entries", "records", "raw bytes");
    List<String> failures = new ArrayList<>();
    int rows = 0;
    for (ChunkDescription chunk : chunks) {
      if (chunk.getState() != ChunkState.SORTED.code()) {
        continue;
      }
      try {
        addTail(table, chunk, tail(job, chunk));
        rows++;
      } catch (IOException e) {
        failures.add(
            "Cannot read the index of chunk "
                + id(chunk)
                + " on "
                + server(chunk)
                + ": "
                + e.getMessage()
                + ". Is the chunkserver up?");
      }
    }
    if (rows > 0) {
      out.println();
      print(table);
    }
    failures.forEach(out::println);
  }

  private static void addTail(TextTable table, ChunkDescription chunk, ChunkTail tail) {
    table.add(
        id(chunk),
        Integer.toString(tail.runs()),
        Integer.toString(tail.sources()),
        Integer.toString(tail.entries()),
        Long.toString(tail.records()),
        Long.toString(tail.rawBytes()));
  }

  private ChunkTail tail(String job, ChunkDescription chunk) throws IOException {
    InetSocketAddress server = new InetSocketAddress(chunk.getHost(), chunk.getPort());
    try (ChunkserverClient client =
        ChunkserverClient.connect(network, server, CALLER, credentials, DEADLINE)) {
      return client.awaitSorted(job, chunk.getChunk(), (int) DEADLINE.toMillis() / 2, DEADLINE);
    }
  }

  /**
   * A job and its chunks in a partition.
   *
   * @throws CommandException when there is no such job or partition
   */
  public DescribeJobResponse describe(String job, int partition) {
    DescribeJobResponse description =
        ask("describe " + job, client -> client.describeJob(job, partition));
    int partitions = description.getSummary().getPartitions();
    if (partition >= partitions) {
      throw new CommandException(
          "Job "
              + job
              + " has no partition "
              + partition
              + ": choose one from 0 to "
              + (partitions - 1)
              + ".");
    }
    return description;
  }

  /** A question to the metaserver. */
  private interface Question<T> {
    T ask(MetaserverClient client) throws IOException;
  }

  private <T> T ask(String what, Question<T> question) {
    try (MetaserverClient client =
        MetaserverClient.connect(network, metaservers, CALLER, credentials, DEADLINE)) {
      return question.ask(client);
    } catch (RemoteException e) {
      if (e.status() == Status.JOB_UNKNOWN) {
        throw new CommandException(
            "The metaserver at "
                + address()
                + " knows no such job: it has ended, or its lease ran"
                + " out ("
                + e.getMessage()
                + "). See bin/sailfish ifile ls for those it knows.",
            e);
      }
      throw new CommandException(
          "The metaserver at "
              + address()
              + " refused to "
              + what
              + ": "
              + e.getMessage()
              + (e.status() == Status.UNAUTHENTICATED
                  ? ". Name the file with the cluster's secret with --secret-file FILE."
                  : ""),
          e);
    } catch (IOException e) {
      throw new CommandException(
          "Cannot ask the metaserver at "
              + address()
              + " to "
              + what
              + ": "
              + e.getMessage()
              + ". Is it up? Name another one with --metaserver HOST:PORT.",
          e);
    }
  }

  private String address() {
    return metaservers.stream()
        .map(metaserver -> metaserver.getHostString() + ":" + metaserver.getPort())
        .collect(Collectors.joining(","));
  }

  private void print(TextTable table) {
    out.print(table.render());
    out.flush();
  }

  private static List<ChunkDescription> ordered(DescribeJobResponse description) {
    return description.getChunksList().stream().sorted(ORDER).toList();
  }

  private static String id(ChunkDescription chunk) {
    return Long.toHexString(chunk.getChunk());
  }

  private static String server(ChunkDescription chunk) {
    return chunk.getHost() + ":" + chunk.getPort();
  }

  private static String stateName(ChunkDescription chunk) {
    try {
      return ChunkState.ofCode(chunk.getState()).name();
    } catch (ProtocolException e) {
      return newer(chunk.getState());
    }
  }

  private static String orderingName(int code) {
    try {
      return Ordering.ofCode(code).name();
    } catch (UnsupportedFormatException e) {
      return newer(code);
    }
  }

  private static String codecName(int code) {
    try {
      return CodecId.ofCode(code).label();
    } catch (UnsupportedFormatException e) {
      return newer(code);
    }
  }

  /** What a newer server means by a code is not known here, but it can be shown. */
  private static String newer(int code) {
    return "code " + code;
  }
}
