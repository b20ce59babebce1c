package dev.sailfish.ground.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.InvalidProtocolBufferException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RetryPolicyTest {
  private static final long MILLI = 1_000_000;
  private static final RetryPolicy POLICY = new RetryPolicy(10, 1_000);
  private static final IOException BROKEN = new IOException("broken");

  @Test
  void waitsDoubleUpToTheLongestAndAreShorterByAQuarterAtMost() {
    for (int failures = 1; failures < 100; failures++) {
      long full = failures > 7 ? 1_000 * MILLI : Math.min(1_000, 10L << failures - 1) * MILLI;
      for (long random = -500; random < 500; random++) {
        assertThat(POLICY.waitNs(failures, random)).isBetween(full - full / 4, full);
      }
    }
  }

  @Test
  void clientsThatFailNearlyTogetherComeBackApart() {
    Set<Long> waits = new HashSet<>();
    for (long nowNs = 0; nowNs < 1_000; nowNs++) {
      waits.add(POLICY.waitNs(8, nowNs));
    }
    assertThat(waits).hasSizeGreaterThan(990);
    assertThat(waits).anyMatch(wait -> wait < 800 * MILLI).anyMatch(wait -> wait > 950 * MILLI);
  }

  @Test
  void noAttemptBeginsAfterTheDeadline() {
    long nowNs = Long.MAX_VALUE - 5; // the clock may overflow
    long wait = POLICY.waitNs(3, nowNs);
    assertThat(POLICY.next(BROKEN, 3, nowNs, nowNs + wait)).isEqualTo(nowNs + wait);
    assertThat(POLICY.next(BROKEN, 3, nowNs, nowNs + wait - 1)).isEqualTo(RetryPolicy.NEVER);
  }

  @ParameterizedTest
  @EnumSource(Status.class)
  void aRefusalIsRepeatedAsItsStatusSays(Status status) {
    RemoteException refusal = new RemoteException(status, "no");
    assertThat(RetryPolicy.mayHeal(refusal)).isEqualTo(status.retryable());
    assertThat(POLICY.next(refusal, 1, 0, Long.MAX_VALUE) == RetryPolicy.NEVER)
        .isEqualTo(!status.retryable());
  }

  @Test
  void aPeerThatSpeaksAnotherProtocolIsLeftAlone() {
    assertThat(RetryPolicy.mayHeal(new ProtocolException("?"))).isFalse();
    assertThat(RetryPolicy.mayHeal(new InvalidProtocolBufferException("?"))).isFalse();
    assertThat(RetryPolicy.mayHeal(new SocketTimeoutException())).isTrue();
    assertThat(RetryPolicy.mayHeal(BROKEN)).isTrue();
  }

  @Test
  void refusesWaitsThatAreNone() {
    assertThatThrownBy(() -> new RetryPolicy(0, 1)).hasMessage("first_ms=0 longest_ms=1");
    assertThatThrownBy(() -> new RetryPolicy(2, 1)).hasMessage("first_ms=2 longest_ms=1");
  }
}
