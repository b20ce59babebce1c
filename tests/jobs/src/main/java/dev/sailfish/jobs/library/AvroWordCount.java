package dev.sailfish.jobs.library;

import java.io.IOException;
import java.util.StringTokenizer;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.mapred.AvroKey;
import org.apache.avro.mapred.AvroValue;
import org.apache.avro.mapreduce.AvroJob;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;

/**
 * Counts words with Avro records as keys, of which one field sorts downwards and one not at all.
 * Arguments: in, out.
 */
final class AvroWordCount implements LibraryMain.Setup {
  private static final Schema KEY =
      SchemaBuilder.record("Word")
          .fields()
          .name("length")
          .orderDescending()
          .type()
          .intType()
          .noDefault()
          .name("text")
          .type()
          .stringType()
          .noDefault()
          .name("shown")
          .orderIgnore()
          .type()
          .stringType()
          .noDefault()
          .endRecord();

  /** Emits each word, with one. */
  public static final class Words
      extends Mapper<LongWritable, Text, AvroKey<GenericRecord>, AvroValue<Long>> {
    @Override
    protected void map(LongWritable position, Text line, Context context)
        throws IOException, InterruptedException {
      StringTokenizer words = new StringTokenizer(line.toString());
      while (words.hasMoreTokens()) {
        String word = words.nextToken();
        GenericRecord key = new GenericData.Record(KEY);
        key.put("length", word.length());
        key.put("text", word);
        key.put("shown", word.toUpperCase(java.util.Locale.ROOT));
        context.write(new AvroKey<>(key), new AvroValue<>(1L));
      }
    }
  }

  /** Sums counts, and writes them as text: Avro's files have random marks. */
  public static final class Sum
      extends Reducer<AvroKey<GenericRecord>, AvroValue<Long>, Text, NullWritable> {
    @Override
    protected void reduce(
        AvroKey<GenericRecord> key, Iterable<AvroValue<Long>> counts, Context context)
        throws IOException, InterruptedException {
      long sum = 0;
      for (AvroValue<Long> count : counts) {
        sum += count.datum();
      }
      context.write(new Text(key.datum() + " " + sum), NullWritable.get());
    }
  }

  @Override
  public void configure(Job job, String[] arguments) throws IOException {
    job.setMapperClass(Words.class);
    job.setReducerClass(Sum.class);
    AvroJob.setMapOutputKeySchema(job, KEY);
    AvroJob.setMapOutputValueSchema(job, Schema.create(Schema.Type.LONG));
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(NullWritable.class);
    FileInputFormat.addInputPath(job, new Path(arguments[0]));
  }
}
