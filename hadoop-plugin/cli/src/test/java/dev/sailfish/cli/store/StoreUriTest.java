package dev.sailfish.cli.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Paths of the store as users write them. */
class StoreUriTest {
  @ParameterizedTest
  @CsvSource({"/a/b,/a/b", "lineage:///a/b,/a/b", "lineage:///,/", "/a=b,/a=b"})
  void isAPathWithOrWithoutTheScheme(String text, String path) {
    assertThat(StoreUri.path(text)).isEqualTo(path);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a/b", "lineage://host:1/a", "hdfs:///a", ""})
  void anythingElseIsRefusedWithASentence(String text) {
    assertThatThrownBy(() -> StoreUri.path(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("--masters");
  }

  @Test
  void aCommandSaysWhatIsWrong() {
    CommandLine recompute = new CommandLine(new LineageRecomputeCommand());
    assertThatThrownBy(() -> recompute.parseArgs("b"))
        .isInstanceOf(ParameterException.class)
        .hasMessageContaining("b is no path of the store");
  }
}
