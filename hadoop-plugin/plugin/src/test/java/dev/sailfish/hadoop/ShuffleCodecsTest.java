package dev.sailfish.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.format.CodecId;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Hadoop's names of codecs. */
class ShuffleCodecsTest {
  private static final String HADOOPS = "org.apache.hadoop.io.compress.";

  private static Configuration compressed(String codec) {
    Configuration conf = new Configuration(false);
    conf.setBoolean(MRJobConfig.MAP_OUTPUT_COMPRESS, true);
    if (codec != null) {
      conf.set(MRJobConfig.MAP_OUTPUT_COMPRESS_CODEC, codec);
    }
    return conf;
  }

  @ParameterizedTest
  @CsvSource({
    "Lz4Codec, LZ4",
    "SnappyCodec, SNAPPY",
    "ZStandardCodec, ZSTD",
    "DefaultCodec, ZSTD",
    "DeflateCodec, ZSTD",
    "GzipCodec, ZSTD",
    "BZip2Codec, ZSTD"
  })
  void hadoopsCodecsAreTakenByTheirAlgorithm(String name, CodecId codec) {
    assertThat(ShuffleCodecs.of(compressed(HADOOPS + name))).isEqualTo(codec);
  }

  @Test
  void lzoHasAClassOfOurs() {
    assertThat(ShuffleCodecs.of(compressed(LzoCodec.class.getName()))).isEqualTo(CodecId.LZO);
  }

  @Test
  void nothingIsCompressedUnlessTheJobAsks() {
    Configuration conf = compressed(HADOOPS + "Lz4Codec");
    conf.setBoolean(MRJobConfig.MAP_OUTPUT_COMPRESS, false);
    assertThat(SailfishJob.of(conf).codec()).isEqualTo(CodecId.NONE);
    assertThat(ShuffleCodecs.of(compressed(null))).isEqualTo(CodecId.ZSTD);
  }

  /** ReduceTask loads the class: without its jar every reduce would fail, after all maps. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "com.hadoop.compression.lzo.LzoCodec",
        "com.hadoop.compression.lzo.LzopCodec",
        "org.example.Lz4Codec",
        " org.apache.hadoop.io.compress.Lz4Codec"
      })
  void aClassThatIsNotThereIsRefused(String name) {
    assertThatThrownBy(() -> ShuffleCodecs.of(compressed(name)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(MRJobConfig.MAP_OUTPUT_COMPRESS_CODEC + "=" + name)
        .hasMessageContaining("cannot be loaded")
        .hasMessageContaining("jar")
        .hasMessageContaining(LzoCodec.class.getName());
  }

  /** Has a name that Sailfish knows, and nothing else of a codec. */
  static final class GzipCodec {}

  @Test
  void aClassThatIsNoCodecIsRefused() {
    assertThatThrownBy(() -> ShuffleCodecs.of(compressed(GzipCodec.class.getName())))
        .hasMessageContaining("unknown to Sailfish");
  }

  @Test
  void anotherNameIsRefused() {
    assertThatThrownBy(() -> ShuffleCodecs.of(compressed("org.example.NoSuchCodec")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("NoSuchCodec is unknown to Sailfish");
  }
}
