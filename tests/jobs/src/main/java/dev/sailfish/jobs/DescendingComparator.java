package dev.sailfish.jobs;

import org.apache.hadoop.conf.Configurable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.mapred.JobConf;

/** The registered order of the job's key class, backwards: a comparator that only the job knows. */
public final class DescendingComparator
    implements RawComparator<WritableComparable<?>>, Configurable {
  private Configuration conf;
  private WritableComparator ascending;

  /** For Hadoop's reflection. */
  public DescendingComparator() {}

  @Override
  public void setConf(Configuration configuration) {
    conf = configuration;
    Class<?> key = new JobConf(configuration).getMapOutputKeyClass();
    ascending = WritableComparator.get(key.asSubclass(WritableComparable.class), configuration);
  }

  @Override
  public Configuration getConf() {
    return conf;
  }

  @Override
  public int compare(byte[] left, int leftAt, int ll, byte[] right, int rightAt, int rl) {
    return ascending.compare(right, rightAt, rl, left, leftAt, ll);
  }

  @Override
  public int compare(WritableComparable<?> left, WritableComparable<?> right) {
    return ascending.compare(right, left);
  }
}
