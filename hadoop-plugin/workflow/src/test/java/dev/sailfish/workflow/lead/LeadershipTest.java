package dev.sailfish.workflow.lead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LeadershipTest {
  private static final Map<LeaderState, Set<LeaderState>> ARROWS =
      Map.of(
          LeaderState.STANDBY, EnumSet.of(LeaderState.LEADING, LeaderState.STOPPED),
          LeaderState.LEADING, EnumSet.of(LeaderState.STANDBY, LeaderState.STOPPED),
          LeaderState.STOPPED, EnumSet.noneOf(LeaderState.class));

  private boolean isFree;
  private boolean answers = true;
  private int released;

  private final Leadership leadership =
      new Leadership(
          new Lock() {
            @Override
            public boolean take() throws IOException {
              return keep();
            }

            @Override
            public boolean keep() throws IOException {
              if (!answers) {
                throw new IOException("no master answers");
              }
              return isFree;
            }

            @Override
            public void release() {
              released++;
            }
          },
          100);

  @Test
  void eachArrowAndNoOther() {
    for (LeaderState state : LeaderState.values()) {
      assertThat(state.next()).as("%s", state).isEqualTo(ARROWS.get(state));
    }
  }

  @Test
  void worksWhileItHasTheLock() throws IOException {
    leadership.round(0);
    assertThat(leadership.state()).isEqualTo(LeaderState.STANDBY);
    isFree = true;
    leadership.round(10);
    assertThat(leadership.state()).isEqualTo(LeaderState.LEADING);
    assertThat(leadership.isLeading(109)).isTrue();
    isFree = false;
    leadership.round(20);
    assertThat(leadership.state()).isEqualTo(LeaderState.STANDBY);
    assertThat(leadership.isLeading(20)).isFalse();
  }

  @Test
  void doesNotWorkWhenItHasNotHeardOfTheLockForLong() throws IOException {
    isFree = true;
    leadership.round(0);
    answers = false;
    assertThatIOException().isThrownBy(() -> leadership.round(99));
    assertThat(leadership.state()).isEqualTo(LeaderState.LEADING);
    assertThat(leadership.isLeading(100)).isFalse();
    assertThatIOException().isThrownBy(() -> leadership.round(100));
    assertThat(leadership.state()).isEqualTo(LeaderState.STANDBY);
    answers = true;
    leadership.round(200);
    assertThat(leadership.isLeading(200)).isTrue();
  }

  @Test
  void givesTheLockBackWhenItIsStopped() throws IOException {
    isFree = true;
    leadership.round(0);
    leadership.stop();
    leadership.stop();
    assertThat(released).isEqualTo(1);
    assertThat(leadership.isLeading(1)).isFalse();
    assertThatIllegalStateException().isThrownBy(() -> leadership.round(1));
  }
}
