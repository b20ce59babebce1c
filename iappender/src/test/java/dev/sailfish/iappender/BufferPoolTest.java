package dev.sailfish.iappender;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.testkit.Seeded;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

@Seeded
class BufferPoolTest {
  @Test
  void roundsUpByAnEighthAtMost(SplittableRandom random) {
    for (int i = 0; i < 10_000; i++) {
      int length = 64 + random.nextInt(1 << 5 + random.nextInt(25));
      int rounded = BufferPool.roundUp(length);
      assertThat(rounded).isBetween(length, length + length / 8 + 1);
      assertThat(BufferPool.roundUp(rounded)).isEqualTo(rounded);
      assertThat(BufferPool.roundDown(rounded)).isEqualTo(rounded);
      int down = BufferPool.roundDown(length);
      assertThat(down).isBetween(length - length / 8, length);
      assertThat(BufferPool.roundUp(down)).isEqualTo(down);
    }
  }

  @Test
  void givesTheSameArrayAgainOnlyForItsLength() {
    BufferPool pool = new BufferPool(1000);
    byte[] array = pool.take(100);
    assertThat(array).hasSize(104);
    pool.give(array);
    assertThat(pool.take(113)).isNotSameAs(array);
    assertThat(pool.take(97)).isSameAs(array);
    assertThat(pool.take(97)).isNotSameAs(array);
  }

  @Test
  void keepsNoMoreThanItsCapacity() {
    BufferPool pool = new BufferPool(1000);
    byte[] first = new byte[512];
    byte[] second = new byte[512];
    pool.give(first);
    pool.give(second);
    pool.give(new byte[77]);
    pool.give(new byte[0]);
    assertThat(pool.take(512)).isSameAs(first);
    assertThat(pool.take(512)).isNotSameAs(second);
  }

  @Test
  void whatIsLeftGoesToOneWhoKeepsAsMuch() {
    BufferPool pool = BufferPool.acquire(1001);
    byte[] array = pool.take(100);
    pool.give(array);
    pool.leave();
    BufferPool next = BufferPool.acquire(1001);
    assertThat(next).isSameAs(pool);
    assertThat(BufferPool.acquire(1001)).as("while it is in use").isNotSameAs(pool);
    assertThat(next.take(100)).isSameAs(array);
    next.leave();
    assertThat(BufferPool.acquire(1002)).isNotSameAs(pool);
  }

  @Test
  void shortArraysMakeRoomForLongOnesAndNotTheOtherWayRound() {
    BufferPool pool = new BufferPool(1000);
    byte[] shortArray = new byte[256];
    byte[] otherShortArray = new byte[256];
    byte[] longArray = new byte[640];
    pool.give(shortArray);
    pool.give(otherShortArray);
    pool.give(longArray);
    pool.give(new byte[128]);
    assertThat(pool.take(640)).isSameAs(longArray);
    assertThat(pool.take(256)).isSameAs(shortArray);
    assertThat(pool.take(256)).isNotSameAs(otherShortArray);
  }

  @Test
  void aLongerArrayIsLentWhatItHasMoreStillCounts() {
    BufferPool pool = new BufferPool(1000);
    byte[] longArray = new byte[640];
    byte[] longestArray = new byte[704];
    pool.give(longArray);
    assertThat(pool.takeLonger(256, 512)).as("not longer than asked").hasSize(256);
    assertThat(pool.takeLonger(256, 1024)).isSameAs(longArray);
    pool.give(longestArray);
    assertThat(pool.take(704)).as("384 of 1000 are lent").isNotSameAs(longestArray);
    pool.unlend(384);
    pool.give(longestArray);
    assertThat(pool.takeLonger(704, 1024)).isSameAs(longestArray);
  }

  @Test
  void noMoreIsLentThanTheCapacity() {
    BufferPool pool = new BufferPool(1000);
    for (int i = 0; i < 5; i++) {
      pool.give(new byte[512]);
      byte[] array = pool.takeLonger(128, 1024);
      assertThat(array).hasSize(i < 2 ? 512 : 128);
    }
  }
}
