package dev.sailfish.hadoop;

import dev.sailfish.format.CodecId;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.mapreduce.MRJobConfig;

/**
 * Which block codec a job asked for with Hadoop's own key, {@code
 * mapreduce.map.output.compress.codec}. The named class does not compress anything here: its stream
 * format is of no use for blocks, only the algorithm is taken. But Hadoop's ReduceTask makes one
 * before it comes to the shuffle, so it must be there; a map says so, before any work is done.
 */
final class ShuffleCodecs {
  private static final String DEFAULT = "org.apache.hadoop.io.compress.DefaultCodec";

  private ShuffleCodecs() {}

  /**
   * The codec of a job that compresses its map output.
   *
   * @throws IllegalArgumentException when the class is none that Sailfish knows, or cannot be
   *     loaded
   */
  static CodecId of(Configuration conf) {
    String name = conf.get(MRJobConfig.MAP_OUTPUT_COMPRESS_CODEC, DEFAULT);
    CodecId codec = of(name.strip());
    if (!name.equals(DEFAULT)) {
      requireCodec(conf, name);
    }
    return codec;
  }

  /** Checks what ReduceTask does with the name, which it does not strip of spaces either. */
  private static void requireCodec(Configuration conf, String name) {
    Class<?> type = conf.getClassByNameOrNull(name);
    if (type == null || !CompressionCodec.class.isAssignableFrom(type)) {
      throw new IllegalArgumentException(
          MRJobConfig.MAP_OUTPUT_COMPRESS_CODEC
              + "="
              + name
              + (type == null
                  ? " cannot be loaded on this machine"
                  : " is no " + CompressionCodec.class.getName())
              + ", and Hadoop's reduce tasks need it, although Sailfish compresses by itself: put"
              + " its jar on the class path of tasks, or set it to one of Hadoop's own classes, or"
              + " to "
              + LzoCodec.class.getName()
              + " for LZO");
    }
  }

  private static CodecId of(String name) {
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
