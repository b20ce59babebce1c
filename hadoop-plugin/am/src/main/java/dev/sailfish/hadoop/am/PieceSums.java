package dev.sailfish.hadoop.am;

import dev.sailfish.hadoop.auto.WorkCounter;
import dev.sailfish.workbuilder.plan.PartitionTotal;
import dev.sailfish.workbuilder.plan.ReducePlan;
import dev.sailfish.workbuilder.plan.ReduceWork;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntFunction;
import org.apache.hadoop.mapreduce.Counters;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares what the reduce tasks of a split partition have delivered, together, with what the
 * manifests of its winners promised: so a split partition is as protected as a whole one, of which
 * the imerger checks the same by itself. Each task counts what it delivered when it comes to the
 * end of its piece; where a reducer did not read to the end, nothing can be compared, as in stock.
 * Nor can it be when the job goes on without a map that the plan has the output of, or with one
 * that it was made without ({@code mapreduce.map.failures.maxpercent}).
 *
 * @param plan that the reduce tasks were made of
 * @param winners how many maps' output the job is made of, now that it is done
 */
record PieceSums(ReducePlan plan, int winners) {
  private static final Logger LOG = LoggerFactory.getLogger(PieceSums.class);

  /**
   * Compares.
   *
   * @param counters of the successful attempt of a reduce task, by its number
   * @return null, or a sentence that says which partition is wrong
   */
  String compare(IntFunction<Counters> counters) {
    if (winners != plan.winners() && !plan.totals().isEmpty()) {
      LOG.info(
          "What the pieces of partitions have delivered is not compared: the plan was made of the"
              + " output of {} maps, and the job ends with that of {}",
          plan.winners(),
          winners);
      return null;
    }
    Map<Integer, Sum> sums = new HashMap<>();
    plan.totals().forEach(total -> sums.put(total.partition(), new Sum()));
    for (ReduceWork work : plan.works()) {
      Sum sum = sums.get(work.firstPartition());
      if (sum != null) {
        sum.add(counters.apply(work.number()));
      }
    }
    for (PartitionTotal total : plan.totals()) {
      Sum sum = sums.get(total.partition());
      if (sum.read < sum.pieces) {
        LOG.info(
            "Partition {}: {} of its {} pieces were not read to their end, and are not compared",
            total.partition(),
            sum.pieces - sum.read,
            sum.pieces);
      } else if (!sum.equals(total)) {
        return ("records of partition=%s are not those that were appended: delivered in %s pieces"
                + " records=%s bytes=%s checksum=%x, in the manifests of the winners records=%s"
                + " bytes=%s checksum=%x. Maps that give other records when they run again cannot"
                + " be split: sailfish.reduce.work=fixed")
            .formatted(
                total.partition(),
                sum.pieces,
                sum.records,
                sum.bytes,
                sum.checksum,
                total.records(),
                total.bytes(),
                total.checksum());
      }
    }
    return null;
  }

  private static final class Sum {
    private int pieces;
    private long read;
    private long records;
    private long bytes;
    private long checksum;

    void add(Counters counters) {
      pieces++;
      read += counters.findCounter(WorkCounter.GROUP, WorkCounter.PIECES_READ).getValue();
      records += counters.findCounter(WorkCounter.GROUP, WorkCounter.PIECE_RECORDS).getValue();
      bytes += counters.findCounter(WorkCounter.GROUP, WorkCounter.PIECE_BYTES).getValue();
      checksum += counters.findCounter(WorkCounter.GROUP, WorkCounter.PIECE_CHECKSUM).getValue();
    }

    boolean equals(PartitionTotal total) {
      return records == total.records() && bytes == total.bytes() && checksum == total.checksum();
    }
  }
}
