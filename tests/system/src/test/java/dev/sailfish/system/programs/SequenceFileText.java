package dev.sailfish.system.programs;

import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.SequenceFile;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.util.ReflectionUtils;

/** Sequence files as text: their bytes differ from run to run, by random marks. */
final class SequenceFileText {
  private SequenceFileText() {}

  /** A line for each record: key, tabulator, value. */
  static String of(URI file) throws IOException {
    Configuration conf = new Configuration();
    StringBuilder records = new StringBuilder();
    try (SequenceFile.Reader reader =
        new SequenceFile.Reader(conf, SequenceFile.Reader.file(new Path(file)))) {
      Writable key = (Writable) ReflectionUtils.newInstance(reader.getKeyClass(), conf);
      Writable value = (Writable) ReflectionUtils.newInstance(reader.getValueClass(), conf);
      while (reader.next(key, value)) {
        records.append(key).append('\t').append(value).append('\n');
      }
    }
    return records.toString();
  }
}
