package dev.sailfish.hadoop;

import dev.sailfish.format.CodecId;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.MRJobConfig;

/**
 * Which block codec a job asked for with Hadoop's own keys, {@code mapreduce.map.output.compress}
 * and {@code mapreduce.map.output.compress.codec}. The named class is never loaded: its stream
 * format is of no use for blocks, only the algorithm is taken.
 */
final class ShuffleCodecs {
  private ShuffleCodecs() {}

  /**
   * The codec of a job.
   *
   * @throws IllegalArgumentException when the class is none that Sailfish knows
   */
  static CodecId of(Configuration conf) {
    if (!conf.getBoolean(MRJobConfig.MAP_OUTPUT_COMPRESS, false)) {
      return CodecId.NONE;
    }
    String name =
        conf.getTrimmed(
            MRJobConfig.MAP_OUTPUT_COMPRESS_CODEC, "org.apache.hadoop.io.compress.DefaultCodec");
    return switch (name.substring(name.lastIndexOf('.') + 1)) {
      case "Lz4Codec" -> CodecId.LZ4;
      case "ZStandardCodec" -> CodecId.ZSTD;
      case "SnappyCodec" -> CodecId.SNAPPY;
      case "LzoCodec", "LzopCodec" -> CodecId.LZO;
      // The job asked for compression, not for a format: nobody but the shuffle sees these bytes.
      case "DefaultCodec", "DeflateCodec", "GzipCodec", "BZip2Codec" -> CodecId.ZSTD;
      default ->
          throw new IllegalArgumentException(
              MRJobConfig.MAP_OUTPUT_COMPRESS_CODEC
                  + "="
                  + name
                  + " is unknown to Sailfish: set it to the Hadoop codec class Lz4Codec,"
                  + " ZStandardCodec or SnappyCodec, to "
                  + LzoCodec.class.getName()
                  + ", or set "
                  + MRJobConfig.MAP_OUTPUT_COMPRESS
                  + "=false");
    };
  }
}
