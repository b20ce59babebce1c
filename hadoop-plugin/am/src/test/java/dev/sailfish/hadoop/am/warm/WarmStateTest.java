package dev.sailfish.hadoop.am.warm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class WarmStateTest {
  @ParameterizedTest
  @CsvSource({
    "STARTING, GIVEN, BUSY",
    "BUSY, ENDED, IDLE",
    "IDLE, OFFERED, OFFERED",
    "OFFERED, ASSIGNED, ASSIGNED",
    "ASSIGNED, GIVEN, BUSY"
  })
  void eachArrow(WarmState from, WarmState.Event event, WarmState to) {
    assertThat(from.after(event)).isEqualTo(to);
  }

  @ParameterizedTest
  @EnumSource
  void eachMayLeave(WarmState from) {
    assertThat(from.after(WarmState.Event.LEAVES)).isEqualTo(WarmState.LEAVING);
  }

  @Test
  void thereAreNoOtherArrows() {
    int arrows = 0;
    for (WarmState from : WarmState.values()) {
      for (WarmState.Event event : WarmState.Event.values()) {
        try {
          from.after(event);
          arrows++;
        } catch (IllegalStateException e) {
          assertThat(e).hasMessageContaining(from.name()).hasMessageContaining(event.name());
        }
      }
    }
    assertThat(arrows).isEqualTo(5 + WarmState.values().length);
  }

  @Test
  void oneThatLeavesGetsNothing() {
    assertThatIllegalStateException()
        .isThrownBy(() -> WarmState.LEAVING.after(WarmState.Event.GIVEN));
  }
}
