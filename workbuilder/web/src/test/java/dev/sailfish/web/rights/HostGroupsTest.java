package dev.sailfish.web.rights;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.ground.wire.Network;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** With the command of this host: each Linux has users of these names, in groups of theirs. */
class HostGroupsTest {
  @Test
  void aUserIsInTheGroupsThatTheHostSays() {
    try (HostGroups groups = new HostGroups(Duration.ofMinutes(5), Network.SOCKETS)) {
      assertThat(groups.of("root")).contains("root");
      assertThat(groups.of("daemon")).contains("daemon").doesNotContain("root");
      assertThat(groups.of("root")).contains("root");
    }
  }

  @Test
  void whoIsUnknownIsInNone() {
    try (HostGroups groups = new HostGroups(Duration.ofMinutes(5), Network.SOCKETS)) {
      assertThat(groups.of("nobody-of-this-name")).isEmpty();
      assertThat(groups.of("--help")).as("a name is no option").isEmpty();
    }
  }

  @Test
  void anAnswerThatIsOldIsGivenWhileItIsAskedAgain() {
    try (HostGroups groups = new HostGroups(Duration.ofNanos(1), Network.SOCKETS)) {
      for (int i = 0; i < 20; i++) {
        assertThat(groups.of("root")).contains("root");
      }
    }
  }

  @Test
  void manyAtATimeGetTheSame() {
    try (HostGroups groups = new HostGroups(Duration.ofMinutes(5), Network.SOCKETS)) {
      List<Set<String>> all =
          IntStream.range(0, 50).parallel().mapToObj(i -> groups.of("root")).toList();
      assertThat(Set.copyOf(all)).hasSize(1);
    }
  }
}
