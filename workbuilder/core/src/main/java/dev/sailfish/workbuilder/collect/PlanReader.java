package dev.sailfish.workbuilder.collect;

import dev.sailfish.format.Ordering;
import dev.sailfish.format.order.GroupOrder;
import dev.sailfish.protocol.client.ChunkserverClient;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.protocol.wire.ChunkDescription;
import dev.sailfish.protocol.wire.DescribeJobResponse;
import dev.sailfish.protocol.wire.JobSummary;
import dev.sailfish.protocol.wire.SumWinnersRequest;
import dev.sailfish.protocol.wire.SumWinnersResponse;
import dev.sailfish.workbuilder.plan.PartitionData;
import dev.sailfish.workbuilder.plan.ReducePolicy;
import dev.sailfish.workbuilder.plan.SummaryGrain;
import dev.sailfish.workbuilder.plan.WorkTarget;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongFunction;

/**
 * Asks servers for what the reduce work of a job is made of:
 *
 * <pre>
 *   metaserver     SUM_WINNERS        what each partition has            ──▶ the target
 *                  DESCRIBE_JOB       chunks of partitions that have more
 *   chunkservers   SUMMARIZE_INDEX    of these chunks: between which keys
 * </pre>
 *
 * <p>Only what may have to be split is looked into. An index that cannot be had keeps its partition
 * whole, with the reason; nothing is asked for twice, but by the clients themselves. Chunkservers
 * are asked one after the other, each for all of its chunks. For one thread.
 *
 * @param metaserver is not closed
 * @param chunkservers leads to the chunkservers
 * @param job its id
 * @param order of the job's keys; with normalized keys of a job that has a comparator, its large
 *     partitions stay whole
 */
public record PlanReader(
    MetaserverClient metaserver, Chunkservers chunkservers, String job, GroupOrder order) {
  private static final int ALL_PARTITIONS = -1;

  /** The way to chunkservers. */
  @FunctionalInterface
  public interface Chunkservers {
    /**
     * Connects to one; the caller closes it.
     *
     * @return a client of which each wait has a deadline
     * @throws IOException when it cannot be reached
     */
    ChunkserverClient connect(InetSocketAddress address) throws IOException;
  }

  /** Checks that all is there. */
  public PlanReader {
    Objects.requireNonNull(metaserver, "metaserver");
    Objects.requireNonNull(chunkservers, "chunkservers");
    Objects.requireNonNull(job, "job");
    Objects.requireNonNull(order, "order");
  }

  /**
   * Asks.
   *
   * @param winners pairs (map, attempt), one for each map of the job; none: of each map the attempt
   *     that committed last
   * @param last whether these are all winners, so that chunks that still take appends are made
   *     STABLE; else nothing is changed
   * @param policy is given the bytes of all partitions, before compression: the target may follow
   *     from them
   * @throws IOException when the metaserver does not answer, or {@code order} is not the job's
   * @throws InterruptedIOException when the thread is interrupted
   */
  public JobData read(int[] winners, boolean last, LongFunction<ReducePolicy> policy)
      throws IOException {
    SumWinnersRequest.Builder request = SumWinnersRequest.newBuilder().setJob(job);
    for (int number : winners) {
      request.addWinners(number);
    }
    SumWinnersResponse sums = metaserver.sumWinners(request.build());
    List<Long> bytes = sums.getRawBytesList();
    ReducePolicy chosen = policy.apply(bytes.stream().mapToLong(Long::longValue).sum());
    Set<Integer> large = new TreeSet<>();
    for (int partition = 0; chosen.split() && partition < bytes.size(); partition++) {
      if (SummaryGrain.isNeeded(bytes.get(partition), chosen.target())) {
        large.add(partition);
      }
    }
    IndexReader indexes = new IndexReader(job, chunkservers, last);
    if (!large.isEmpty()) {
      read(large, indexes, bytes, chosen.target());
      large.forEach(partition -> indexes.check(partition, bytes.get(partition)));
    }
    List<PartitionData> partitions = new ArrayList<>();
    for (int partition = 0; partition < bytes.size(); partition++) {
      partitions.add(
          new PartitionData(
              sums.getRecords(partition),
              bytes.get(partition),
              sums.getRecordBytes(partition),
              sums.getChecksums(partition),
              indexes.found(partition),
              indexes.missing(partition),
              null));
    }
    return new JobData(
        partitions, order, chosen, sums.getKnown(), sums.getUnknownList(), indexes.unsorted());
  }

  /** Reads the indexes of these partitions, or tells why nobody can. */
  private void read(
      Set<Integer> partitions, IndexReader indexes, List<Long> bytes, WorkTarget target)
      throws IOException {
    DescribeJobResponse description = metaserver.describeJob(job, ALL_PARTITIONS);
    String reason = noKeys(description.getSummary());
    if (reason != null) {
      partitions.forEach(partition -> indexes.miss(partition, reason));
      return;
    }
    List<ChunkDescription> chunks = new ArrayList<>(description.getChunksList());
    chunks.removeIf(chunk -> !partitions.contains(chunk.getPartition()));
    Map<Integer, Integer> runs = new HashMap<>();
    chunks.forEach(chunk -> runs.merge(chunk.getPartition(), 1, Integer::sum));
    int most = runs.values().stream().mapToInt(Integer::intValue).max().orElse(0);
    boolean shortRuns = order.keys().comparator() != null;
    indexes.read(chunks, SummaryGrain.bytesPerEntry(bytes, target, most, shortRuns));
  }

  /** Why no index of the job has keys that are of use here, or null when they are. */
  private String noKeys(JobSummary summary) throws IOException {
    if (summary.getEncrypted()) {
      return "its keys are encrypted";
    }
    Ordering ordering = Ordering.ofCode(summary.getOrdering());
    if (ordering == Ordering.COMPARATOR && order.keys().comparator() == null) {
      return "only the job's comparator knows the order of its keys";
    }
    if (order.keys().ordering() != ordering) {
      throw new IOException(
          "job=%s was written with ordering=%s, the workbuilder has %s"
              .formatted(job, ordering, order.keys().ordering()));
    }
    return null;
  }
}
