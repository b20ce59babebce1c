package dev.sailfish.benchmarks.jobs.workload;

import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.client.Shuffle;
import java.util.Locale;
import java.util.Map;

/** Compression of map output, chosen through Hadoop's usual keys. */
public enum Codec {
  /** Not compressed. */
  NONE("", true),
  /** LZ4. */
  LZ4("org.apache.hadoop.io.compress.Lz4Codec", true),
  /** Zstandard, for which Hadoop's own codec needs Hadoop's native library. */
  ZSTD("org.apache.hadoop.io.compress.ZStandardCodec", false),
  /** Snappy. */
  SNAPPY("org.apache.hadoop.io.compress.SnappyCodec", true),
  /** LZO; Hadoop brings none, but the codec in Sailfish's client jar serves both shuffles. */
  LZO("dev.sailfish.hadoop.LzoCodec", true);

  private final String className;
  private final boolean stockHasIt;

  Codec(String className, boolean stockHasIt) {
    this.className = className;
    this.stockHasIt = stockHasIt;
  }

  /** The keys of a job's configuration that select this codec. */
  public Map<String, String> configuration() {
    return this == NONE
        ? Map.of("mapreduce.map.output.compress", "false")
        : Map.of(
            "mapreduce.map.output.compress",
            "true",
            "mapreduce.map.output.compress.codec",
            className);
  }

  /** Refuses a codec that the shuffle cannot run with on Hadoop's jars alone. */
  public void requireRunsWith(Shuffle shuffle) {
    if (shuffle == Shuffle.STOCK && !stockHasIt) {
      throw new CommandException(
          "Stock Hadoop cannot compress with "
              + this
              + " without native libraries that are not on Maven Central:"
              + " measure it with --shuffle sailfish, or choose lz4, snappy or lzo for both.");
    }
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
