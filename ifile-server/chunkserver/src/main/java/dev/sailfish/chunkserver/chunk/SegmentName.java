package dev.sailfish.chunkserver.chunk;

import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of a chunk's segment: {@code JOB-CHUNK-N}, or {@code JOB-CHUNK-N.sorted} for one that a
 * sorted chunk is written to. The number is never used twice by the chunks of a server: a deleted
 * chunk may come again while readers or a sorter still hold its old segments.
 *
 * @param prefix what all segments of the chunk begin with
 * @param number larger for later segments
 * @param output whether a sorted chunk is written to it
 */
public record SegmentName(String prefix, long number, boolean output) {
  private static final String OUTPUT = ".sorted";
  private static final int MAX_JOB_LENGTH = 80;
  private static final Pattern NAME = Pattern.compile("(.+-)([0-9]{1,18})(" + OUTPUT + ")?");
  private static final AtomicLong NUMBERS = new AtomicLong();

  /** A new name for a segment that takes blocks. */
  static String forBlocks(ChunkSpec spec) {
    return next(spec.job(), spec.id());
  }

  /** A new name for a segment that the sorted chunk is written to. */
  public static String forOutput(String job, long chunk) {
    return next(job, chunk) + OUTPUT;
  }

  private static String next(String job, long chunk) {
    return prefix(job, chunk) + NUMBERS.incrementAndGet();
  }

  private static String prefix(String job, long chunk) {
    String shortJob = job.substring(0, Math.min(job.length(), MAX_JOB_LENGTH));
    return shortJob + "-" + Long.toHexString(chunk) + "-";
  }

  /** Takes a name apart; one that is not of this form has no prefix and the number 0. */
  public static SegmentName parse(String name) {
    Matcher matcher = NAME.matcher(name);
    return matcher.matches()
        ? new SegmentName(
            matcher.group(1), Long.parseLong(matcher.group(2)), matcher.group(3) != null)
        : new SegmentName("", 0, false);
  }

  /** Whether a segment of that chunk has this name. */
  public boolean isOf(String job, long chunk) {
    return prefix.equals(prefix(job, chunk));
  }

  /** This name is in use: its number is not given any more. */
  public void observe() {
    NUMBERS.accumulateAndGet(number, Math::max);
  }
}
