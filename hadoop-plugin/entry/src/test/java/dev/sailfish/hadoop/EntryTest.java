package dev.sailfish.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.sailfish.hadoop.am.SailfishAppMaster;
import dev.sailfish.hadoop.warm.SailfishChild;
import dev.sailfish.hadoop.warm.UserClassPath;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What configuration names has to load on any Java that Hadoop runs on. */
class EntryTest {
  private static final int JAVA_8 = 52;
  private static final int MAGIC = 0xCAFEBABE;

  @ParameterizedTest
  @ValueSource(
      classes = {
        SailfishMapOutputCollector.class,
        SailfishShuffleConsumer.class,
        SailfishAppMaster.class,
        SailfishChild.class,
        UserClassPath.class,
        Requirements.class
      })
  void shouldBeLoadedByAnOldJava(Class<?> type) throws IOException {
    String file = type.getName().replace('.', '/') + ".class";
    try (InputStream resource = type.getClassLoader().getResourceAsStream(file);
        DataInputStream in = new DataInputStream(resource)) {
      assertThat(in.readInt()).isEqualTo(MAGIC);
      in.readUnsignedShort();
      assertThat(in.readUnsignedShort()).isEqualTo(JAVA_8);
    }
  }

  /** Not even Sailfish's other classes are on the class path of this test. */
  @Test
  void anIncompleteClassPathShouldBeNamed() {
    assertThatIllegalStateException()
        .isThrownBy(() -> new SailfishShuffleConsumer<>().init(null))
        .withMessageContaining("dev.sailfish.hadoop.IfileShuffleConsumer");
  }
}
