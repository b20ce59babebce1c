package dev.sailfish.lineage.hadoop;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import org.apache.hadoop.conf.Configuration;

/** Hadoop's older tests; files of the store are not appended to. */
class HadoopOperationsTest extends OlderHadoopSuite {
  @Override
  protected URI uri() {
    return SharedStore.uri();
  }

  @Override
  protected Configuration configuration() {
    return SharedStore.configuration();
  }

  @Override
  protected void appending(Appending test) {
    assertThatThrownBy(test::run)
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("never change");
  }
}
