package dev.sailfish.hadoop.am.warm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.yarn.api.records.ContainerLaunchContext;
import org.junit.jupiter.api.Test;

class LaunchContextsTest {
  private static final String ARGUMENTS = "127.0.0.1 40000 attempt_1_0001_m_000000_0 2 1>out 2>err";

  private final JobConf conf = new JobConf(false);

  private static ContainerLaunchContext context(String... commands) {
    return ContainerLaunchContext.newInstance(
        Map.of(), Map.of(), List.of(commands), null, null, null);
  }

  private boolean warm(ContainerLaunchContext context) throws IOException {
    conf.set("sailfish.am.warm.tasks", "shared");
    return new LaunchContexts(conf, WarmSettings.of(conf)).warm(context);
  }

  @Test
  void jvmTakesThePlaceOfItsShell() throws IOException {
    ContainerLaunchContext context =
        context("$JAVA_HOME/bin/java -Xmx200m org.apache.hadoop.mapred.YarnChild " + ARGUMENTS);
    assertThat(warm(context)).isTrue();
    assertThat(context.getCommands()).hasSize(1);
    assertThat(context.getCommands().get(0))
        .startsWith("exec $JAVA_HOME/bin/java -Xmx200m ")
        .endsWith(" dev.sailfish.hadoop.warm.SailfishChild " + ARGUMENTS)
        .contains(" -Dsailfish.warm.tasks=shared ");
  }

  @Test
  void whatElseIsBeforeTheJvmStaysThere() throws IOException {
    ContainerLaunchContext context =
        context("nice $JAVA_HOME/bin/java org.apache.hadoop.mapred.YarnChild " + ARGUMENTS);
    assertThat(warm(context)).isTrue();
    assertThat(context.getCommands().get(0)).startsWith("nice $JAVA_HOME/bin/java ");
  }

  @Test
  void otherCommandsStayAsTheyAre() throws IOException {
    ContainerLaunchContext other = context("$JAVA_HOME/bin/java com.example.Child " + ARGUMENTS);
    assertThat(warm(other)).isFalse();
    assertThat(other.getCommands())
        .containsExactly("$JAVA_HOME/bin/java com.example.Child " + ARGUMENTS);
    ContainerLaunchContext two =
        context("true", "$JAVA_HOME/bin/java org.apache.hadoop.mapred.YarnChild " + ARGUMENTS);
    assertThat(warm(two)).isFalse();
    assertThat(two.getCommands().get(0)).isEqualTo("true");
  }
}
