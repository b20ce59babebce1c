package dev.sailfish.lineage.hadoop.qfs;

import dev.sailfish.lineage.hadoop.OlderHadoopSuite;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;

/** Hadoop's older tests, on the QFS of the tests. */
class QfsOperationsTest extends OlderHadoopSuite {
  private static final TestedQfs QFS = TestedQfs.ours();

  @Override
  protected URI uri() {
    return QFS.uri();
  }

  @Override
  protected Configuration configuration() {
    return QFS.configuration();
  }
}
