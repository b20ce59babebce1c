package dev.sailfish.cli.inspect;

import dev.sailfish.cli.TextTable;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.Ordering;
import dev.sailfish.format.order.GroupOrder;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.format.tail.ChunkTail;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.localcluster.CommandException;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.client.ChunkserverClient;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.protocol.wire.ChunkDescription;
import dev.sailfish.protocol.wire.DescribeJobRequest;
import dev.sailfish.protocol.wire.DescribeJobResponse;
import dev.sailfish.protocol.wire.JobSummary;
import dev.sailfish.workbuilder.collect.JobData;
import dev.sailfish.workbuilder.collect.PlanReader;
import dev.sailfish.workbuilder.plan.ReducePolicy;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * What metaserver and chunkservers know of I-files, as tables.
 *
 * @param out is flushed, and stays open
 */
public record IfileReport(Metaservers metaservers, PrintWriter out) {
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

  /** One line per job. */
  public void listJobs() {
    List<JobSummary> jobs = ask("list its jobs", MetaserverClient::listJobs).getJobsList();
    if (jobs.isEmpty()) {
      out.println("The metaserver at " + metaservers + " knows no job.");
      return;
    }
    TextTable table =
        new TextTable(
            "job|user|partitions|ordering|codec|chunk bytes|chunks|manifests|raw bytes|"
                + "lease renewed");
    for (JobSummary job : jobs) {
      table.add(
          job.getJob(),
          job.getUser(),
          job.getPartitions(),
          orderingName(job.getOrdering()),
          codecName(job.getCodec()),
          job.getChunkBytes(),
          job.getChunks(),
          job.getManifests(),
          job.getRawBytes(),
          job.getKept()
              ? "ended, kept for " + job.getKeptLeftMs() / 1000 + " s more"
              : job.getLeaseAgeMs() / 1000 + " s ago");
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
        new TextTable("chunk|partition|rack|state|server|raw bytes|stored bytes|records|appenders");
    for (ChunkDescription chunk : ordered(description)) {
      table.add(
          id(chunk),
          chunk.getPartition(),
          chunk.getRack(),
          stateName(chunk),
          server(chunk),
          chunk.getRawBytes(),
          chunk.getStoredBytes(),
          chunk.getRecords(),
          chunk.getAppenders());
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
            "I-file of rack|chunks|open|stable|sorted|lost|raw bytes|stored bytes|records|"
                + "appenders|full %");
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
        chunks.size(),
        count(chunks, ChunkState.OPEN),
        count(chunks, ChunkState.STABLE),
        count(chunks, ChunkState.SORTED),
        count(chunks, ChunkState.LOST),
        raw,
        chunks.stream().mapToLong(ChunkDescription::getStoredBytes).sum(),
        chunks.stream().mapToLong(ChunkDescription::getRecords).sum(),
        chunks.stream().mapToLong(ChunkDescription::getAppenders).sum(),
        PERCENT * raw / Math.max(1, chunkBytes * chunks.size()));
  }

  private static long count(List<ChunkDescription> chunks, ChunkState state) {
    return chunks.stream().filter(chunk -> chunk.getState() == state.code()).count();
  }

  private void statSorted(String job, List<ChunkDescription> chunks) {
    TextTable table = new TextTable("sorted chunk|runs|sources|index entries|records|raw bytes");
    List<String> failures = new ArrayList<>();
    Set<Long> told = new HashSet<>();
    int rows = 0;
    for (ChunkDescription chunk : chunks) {
      if (chunk.getState() != ChunkState.SORTED.code()) {
        continue;
      }
      try {
        ChunkTail tail = tail(job, chunk);
        if (!told.add(tail.fileChunk(chunk.getChunk()))) {
          continue; // with the others that are in its file
        }
        table.add(
            id(chunk) + (tail.isShared() ? " +" + (tail.sharedChunks().length - 1) : ""),
            tail.runs(),
            tail.sources(),
            tail.entries(),
            tail.records(),
            tail.rawBytes());
        rows++;
      } catch (IOException e) {
        failures.add(
            "Cannot read the index of chunk %s on %s: %s. Is the chunkserver up?"
                .formatted(id(chunk), server(chunk), e.getMessage()));
      }
    }
    if (rows > 0) {
      out.println();
      print(table);
    }
    failures.forEach(out::println);
  }

  private ChunkTail tail(String job, ChunkDescription chunk) throws IOException {
    InetSocketAddress server = new InetSocketAddress(chunk.getHost(), chunk.getPort());
    try (ChunkserverClient client = connect(server)) {
      return client.awaitSorted(job, chunk.getChunk(), (int) DEADLINE.toMillis() / 2, DEADLINE);
    }
  }

  private ChunkserverClient connect(InetSocketAddress server) throws IOException {
    return ChunkserverClient.connect(
        metaservers.network(), server, CALLER, metaservers.credentials(), DEADLINE);
  }

  /**
   * What reduce work can be made of now, as a workbuilder reads it; of each map the attempt counts
   * that committed last, and a group is what has equal keys.
   *
   * @throws CommandException when there is no such job
   */
  public JobData collect(String job, ReducePolicy policy) {
    GroupOrder order = new GroupOrder(KeyOrder.normalized(KeyEncoding.RAW), null);
    return ask(
        "add up the output of " + job,
        client ->
            new PlanReader(client, this::connect, job, order)
                .read(new int[0], false, bytes -> policy));
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
          "Job %s has no partition %d: choose one from 0 to %d."
              .formatted(job, partition, partitions - 1));
    }
    return description;
  }

  /**
   * Pairs (map, attempt) of a job's winners, as the metaserver knows them.
   *
   * @throws CommandException when there is no such job
   */
  public int[] winners(String job) {
    DescribeJobRequest request =
        DescribeJobRequest.newBuilder()
            .setJob(job)
            .setPartition(ALL)
            .setLimit(1)
            .setWinners(true)
            .build();
    return ask("name the winners of " + job, client -> client.describeJob(request))
        .getWinnersList()
        .stream()
        .mapToInt(Integer::intValue)
        .toArray();
  }

  /**
   * The access key of a job, with which its data can be read; none where nobody is authenticated.
   *
   * @throws CommandException when there is no such job
   */
  public Optional<byte[]> accessKey(String job) {
    return metaservers.credentials().isCluster()
        ? Optional.of(ask("tell the key of " + job, client -> client.accessKey(job)))
        : Optional.empty();
  }

  /**
   * Drops what is kept of a job that has ended, and says so.
   *
   * @throws CommandException when nothing is kept of it
   */
  public void drop(String job) {
    ask(
        "drop what is kept of " + job,
        client -> {
          client.dropKept(job);
          return null;
        });
    out.println("Nothing is kept of " + job + " any more.");
    out.flush();
  }

  /** A question to the metaserver. */
  private interface Question<T> {
    T ask(MetaserverClient client) throws IOException;
  }

  private <T> T ask(String what, Question<T> question) {
    try (MetaserverClient client = metaservers.connect(CALLER, DEADLINE)) {
      return question.ask(client);
    } catch (RemoteException e) {
      String advice =
          switch (e.status()) {
            case JOB_UNKNOWN ->
                " It knows no such job: it has ended, or its lease ran out. See bin/sailfish ifile"
                    + " ls for those it knows.";
            case UNAUTHENTICATED ->
                " Name the file with the cluster's secret with --secret-file FILE.";
            default -> "";
          };
      throw new CommandException(refused(what, "refused to", e) + advice, e);
    } catch (IOException e) {
      throw new CommandException(
          refused(what, "cannot be asked to", e)
              + " Is it up? Name another one with --metaserver HOST:PORT.",
          e);
    }
  }

  private String refused(String what, String how, IOException e) {
    return "The metaserver at %s %s %s: %s.".formatted(metaservers, how, what, e.getMessage());
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
    return name(chunk.getState(), code -> ChunkState.ofCode(code).name());
  }

  private static String orderingName(int code) {
    return name(code, known -> Ordering.ofCode(known).name());
  }

  private static String codecName(int code) {
    return name(code, known -> CodecId.ofCode(known).label());
  }

  /** A name for a code on the wire. */
  private interface Names {
    String of(int code) throws IOException;
  }

  /** What a newer server means by a code is not known here, but it can be shown. */
  private static String name(int code, Names names) {
    try {
      return names.of(code);
    } catch (IOException e) {
      return "code " + code;
    }
  }
}
