package dev.sailfish.iappender;

import dev.sailfish.format.CodecId;
import dev.sailfish.format.KeyOrder;
import java.util.Objects;

/**
 * What the I-files of a job are like; the same for all its tasks.
 *
 * @param job id of the job
 * @param partitions how many partitions, at least 1
 * @param order order of the keys
 * @param codec how blocks are compressed
 * @param encrypted whether blocks are encrypted; when not, the metaserver may want it nevertheless
 */
public record IfileSpec(
    String job, int partitions, KeyOrder order, CodecId codec, boolean encrypted) {
  /** Of a job that does not ask for encryption. */
  public IfileSpec(String job, int partitions, KeyOrder order, CodecId codec) {
    this(job, partitions, order, codec, false);
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
  }
}
