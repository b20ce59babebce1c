package dev.sailfish.hadoop;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequirementsTest {
  private static final String HOME = "/usr/lib/jvm/some";

  @ParameterizedTest
  @CsvSource({"17, 3.3.6", "17, 3.5.0", "25, 3.4.3", "21, 3.5.1-SNAPSHOT", "17, 3.3.6.7-1.cdh"})
  void supportedVersionsMissNothing(String java, String hadoop) {
    assertThat(Requirements.missing(java, HOME, hadoop)).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"1.8", "11", "16"})
  void anOldJavaIsToldWhichOneIsNeededAndWhereToSetIt(String java) {
    assertThat(Requirements.missing(java, HOME, "3.4.3"))
        .startsWith("Sailfish needs Java 17 or newer")
        .contains("this is Java " + java + " (" + HOME + ")")
        .contains("mapreduce.map.env", "mapreduce.reduce.env", "yarn.app.mapreduce.am.env");
  }

  @ParameterizedTest
  @ValueSource(strings = {"2.10.2", "3.2.4", "3.6.0", "3.10.0", "4.0.0-beta", "3", "Unknown", ""})
  void anotherHadoopIsToldWhichOnesAreSupported(String hadoop) {
    assertThat(Requirements.missing("17", HOME, hadoop))
        .contains("Hadoop 3.3 to 3.5", "this is Hadoop " + hadoop + ":", "mapred-site.xml");
  }

  /** The versions that run this test are supported. */
  @Test
  void whereVersionsAreNotWhyTheErrorIsTheAnswer() {
    assertThat(Requirements.explain(new NoClassDefFoundError("com/example/Users")))
        .isEqualTo("java.lang.NoClassDefFoundError: com/example/Users");
  }
}
