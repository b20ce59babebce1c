package dev.sailfish.iappender;

import dev.sailfish.format.CodecId;
import dev.sailfish.format.order.KeyOrder;
import java.util.Objects;

/**
 * What the I-files of a job are like; the same for all its tasks.
 *
 * @param job id of the job
 * @param partitions how many partitions, at least 1
 * @param order order of the keys
 * @param codec how blocks are compressed
 * @param encrypted whether blocks are encrypted; when not, the metaserver may want it nevertheless
 * @param maps how many maps the job has; 0 when that is not known. When so many have committed, the
 *     chunks that are not full are sorted
 * @param keepMs how long they are kept when the job has ended, if the metaserver lets; 0: not
 * @param untilCheckpointed whether they are dropped before when the job's outputs are checkpointed
 */
public record IfileSpec(
    String job,
    int partitions,
    KeyOrder order,
    CodecId codec,
    boolean encrypted,
    int maps,
    long keepMs,
    boolean untilCheckpointed) {
  /** Of a job that does not ask for encryption, and whose number of maps is not known. */
  public IfileSpec(String job, int partitions, KeyOrder order, CodecId codec) {
    this(job, partitions, order, codec, false, 0);
  }

  /** Of a job whose I-files go with it. */
  public IfileSpec(
      String job, int partitions, KeyOrder order, CodecId codec, boolean encrypted, int maps) {
    this(job, partitions, order, codec, encrypted, maps, 0);
  }

  /** Of a job whose I-files are kept for a time. */
  public IfileSpec(
      String job,
      int partitions,
      KeyOrder order,
      CodecId codec,
      boolean encrypted,
      int maps,
      long keepMs) {
    this(job, partitions, order, codec, encrypted, maps, keepMs, false);
  }

  /** Checks the ranges. */
  public IfileSpec {
    Objects.requireNonNull(job, "job");
    Objects.requireNonNull(order, "order");
    Objects.requireNonNull(codec, "codec");
    if (partitions < 1) {
      throw new IllegalArgumentException(
          "a job has at least 1 partition: partitions=" + partitions);
    }
    if (maps < 0) {
      throw new IllegalArgumentException("a job has no fewer than 0 maps: maps=" + maps);
    }
  }
}
