package dev.sailfish.lineage.qfs.wire;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class QfsErrorTest {
  @ParameterizedTest
  @EnumSource
  void isFoundByItsStatus(QfsError error) {
    assertThat(QfsError.of(-error.code())).isEqualTo(error);
  }

  @Test
  void anUnknownStatusIsKeptInTheException() {
    QfsException e = new QfsException(-4711, "READ", "/f", "a:1");
    assertThat(e.error()).isEqualTo(QfsError.OTHER);
    assertThat(e.status()).isEqualTo(-4711);
    assertThat(e).hasMessage("READ of /f: error (OTHER, status=-4711) from a:1");
  }
}
