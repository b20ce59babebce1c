package dev.sailfish.lineage.hadoop.marks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.avro.Schema;
import org.apache.avro.file.DataFileReader;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.SequenceFile;
import org.apache.hadoop.io.SequenceFile.CompressionType;
import org.apache.hadoop.io.Text;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Files of real writers of Hadoop and Avro, and random bytes beside a search that is plain. */
@Seeded
class MarkedOutputTest {
  private static final int RECORDS = 20_000;
  private static final long FID = 0x1_0000_0007L;

  @TempDir private File directory;

  private interface Written {
    void to(OutputStream out) throws IOException;
  }

  private static byte[] marked(long fid, Written written) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (MarkedOutput out = new MarkedOutput(bytes, fid)) {
      written.to(out);
    }
    return bytes.toByteArray();
  }

  private static void writeSequenceFile(OutputStream to, CompressionType type) throws IOException {
    SequenceFile.Metadata metadata = new SequenceFile.Metadata();
    metadata.set(new Text("name"), new Text("v".repeat(300)));
    Configuration conf = new Configuration();
    conf.setInt("io.seqfile.compress.blocksize", 10_000);
    try (FSDataOutputStream out = new FSDataOutputStream(to, null);
        SequenceFile.Writer writer =
            SequenceFile.createWriter(
                conf,
                SequenceFile.Writer.stream(out),
                SequenceFile.Writer.metadata(metadata),
                SequenceFile.Writer.keyClass(Text.class),
                SequenceFile.Writer.valueClass(IntWritable.class),
                SequenceFile.Writer.compression(type))) {
      for (int i = 0; i < RECORDS; i++) {
        writer.append(new Text("key" + i), new IntWritable(i));
      }
    }
  }

  private File file(byte[] bytes) throws IOException {
    File file = new File(directory, "file");
    Files.write(file.toPath(), bytes);
    return file;
  }

  @ParameterizedTest
  @EnumSource(CompressionType.class)
  void aSequenceFileIsTheSameAgainAndIsRead(CompressionType type) throws IOException {
    byte[] first = marked(FID, out -> writeSequenceFile(out, type));
    assertThat(marked(FID, out -> writeSequenceFile(out, type))).isEqualTo(first);
    assertThat(marked(FID + 1, out -> writeSequenceFile(out, type)))
        .hasSameSizeAs(first)
        .isNotEqualTo(first);
    Path path = new Path(file(first).toURI());
    try (SequenceFile.Reader reader =
        new SequenceFile.Reader(new Configuration(), SequenceFile.Reader.file(path))) {
      Text key = new Text();
      IntWritable value = new IntWritable();
      for (int i = 0; i < RECORDS; i++) {
        assertThat(reader.next(key, value)).isTrue();
        assertThat(key).hasToString("key" + i);
        assertThat(value.get()).isEqualTo(i);
      }
      assertThat(reader.next(key)).isFalse();
      reader.sync(first.length / 2); // what the reader of a split does
      assertThat(reader.next(key)).isTrue();
    }
  }

  private static void writeAvro(OutputStream out) throws IOException {
    Schema schema = Schema.create(Schema.Type.LONG);
    try (DataFileWriter<Long> writer = new DataFileWriter<>(new GenericDatumWriter<>(schema))) {
      writer.setMeta("name", "v".repeat(300));
      writer.create(schema, out);
      for (long i = 0; i < RECORDS; i++) {
        writer.append(i * i);
      }
    }
  }

  @Test
  void aFileOfAvroIsTheSameAgainAndIsRead() throws IOException {
    byte[] first = marked(FID, MarkedOutputTest::writeAvro);
    assertThat(marked(FID, MarkedOutputTest::writeAvro)).isEqualTo(first);
    try (DataFileReader<Long> reader =
        new DataFileReader<>(file(first), new GenericDatumReader<>())) {
      for (long i = 0; i < RECORDS; i++) {
        assertThat(reader.next()).isEqualTo(i * i);
      }
      assertThat(reader.hasNext()).isFalse();
      reader.sync(first.length / 2);
      assertThat(reader.hasNext()).isTrue();
    }
  }

  @Test
  void anyOtherFileStaysAsItIs(Seed seed) throws IOException {
    byte[] random = new byte[100_000];
    seed.random().nextBytes(random);
    List<byte[]> all =
        List.of(
            random,
            new byte[0],
            text("S"),
            text("SEQ"),
            text("SEQ\6"),
            text("SEQ\5" + "of another version, with more than a mark"),
            text("SEQ\6\uffff"),
            text("Obj\1\1\1\1"),
            text("Objects of any kind"));
    for (byte[] bytes : all) {
      assertThat(marked(FID, out -> out.write(bytes))).isEqualTo(bytes);
      assertThat(marked(FID, out -> writeInPieces(out, bytes, seed.random()))).isEqualTo(bytes);
    }
  }

  private static byte[] text(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static void writeInPieces(OutputStream out, byte[] bytes, Random random)
      throws IOException {
    for (int at = 0; at < bytes.length; ) {
      int count = Math.min(bytes.length - at, random.nextInt(random.nextBoolean() ? 3 : 60));
      if (count == 1) {
        out.write(bytes[at]);
      } else {
        out.write(bytes, at, count);
      }
      at += count;
    }
  }

  /** Marks of few different bytes, with beginnings of them before, between and behind. */
  @Test
  void eachMarkIsReplacedHoweverItIsWritten(Seed seed) throws IOException {
    Random random = seed.random();
    for (int round = 0; round < 300; round++) {
      byte[] mark = new byte[MarkHeader.MARK];
      for (int i = 0; i < mark.length; i++) {
        mark[i] = (byte) random.nextInt(2);
      }
      List<byte[]> parts = new ArrayList<>();
      parts.add(new byte[] {'O', 'b', 'j', 1, 0});
      parts.add(mark);
      for (int i = 0; i < 50; i++) {
        int length = random.nextInt(mark.length + 1);
        parts.add(Arrays.copyOf(mark, random.nextInt(3) == 0 ? mark.length : length));
        parts.add(new byte[random.nextInt(3)]);
      }
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      for (byte[] part : parts) {
        all.write(part);
      }
      byte[] bytes = all.toByteArray();
      byte[] made = marked(FID, out -> writeInPieces(out, bytes, random));
      assertThat(made).isEqualTo(replaced(bytes, mark, Arrays.copyOfRange(made, 5, 21)));
    }
  }

  /** From the first one on, none of which overlap. */
  private static byte[] replaced(byte[] bytes, byte[] mark, byte[] by) {
    byte[] result = bytes.clone();
    for (int at = 0; at + mark.length <= bytes.length; at++) {
      if (Arrays.equals(bytes, at, at + mark.length, mark, 0, mark.length)) {
        System.arraycopy(by, 0, result, at, by.length);
        at += mark.length - 1;
      }
    }
    return result;
  }
}
