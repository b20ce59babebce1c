package dev.sailfish.benchmarks.limited;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.testkit.Seeded;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Seeded
class LinkTest {
  private static final LinkRate RATE = new LinkRate(1000, 0);
  private static final long S = TimeUnit.SECONDS.toNanos(1);

  private final AtomicLong nowNs = new AtomicLong(5 * S);

  private Link link(LinkRate rate, ByteBuffer times, int offset) {
    return new Link(rate, times, offset, nowNs::get);
  }

  @Test
  void shouldLetBytesThroughOneAfterTheOther() {
    Link link = link(RATE, Link.ownTimes(16), 0);
    assertThat(link.reserveNs(1000)).isEqualTo(6 * S);
    assertThat(link.reserveNs(500)).isEqualTo(6 * S + S / 2);
    nowNs.set(10 * S);
    assertThat(link.reserveNs(1)).as("an idle link saves nothing").isEqualTo(10 * S + S / 1000);
  }

  @Test
  void shouldLetABurstThroughAtOnce() {
    Link link = link(new LinkRate(1000, 2000), Link.ownTimes(16), 0);
    assertThat(link.reserveNs(2000)).isEqualTo(5 * S);
    assertThat(link.reserveNs(1000)).isEqualTo(6 * S);
    nowNs.set(100 * S);
    assertThat(link.reserveNs(3000)).as("one burst, however idle").isEqualTo(101 * S);
  }

  @Test
  void shouldHaveDirectionsOfTheirOwn() {
    ByteBuffer times = Link.ownTimes(16);
    assertThat(link(RATE, times, 0).reserveNs(1000)).isEqualTo(6 * S);
    assertThat(link(RATE, times, 8).reserveNs(1000)).isEqualTo(6 * S);
  }

  @Test
  void shouldBeSharedByThoseWhoNameItsFile(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("link");
    Link one = link(RATE, Link.sharedTimes(file, 16), 0);
    Link other = link(RATE, Link.sharedTimes(file, 16), 0);
    assertThat(one.reserveNs(1000)).isEqualTo(6 * S);
    assertThat(other.reserveNs(1000)).isEqualTo(7 * S);
    assertThat(one.reserveNs(1000)).isEqualTo(8 * S);
  }

  /** A machine that starts again begins to count anew. */
  @Test
  void shouldForgetATimeOfAnotherStart() {
    ByteBuffer times = Link.ownTimes(16);
    nowNs.set(TimeUnit.DAYS.toNanos(9));
    link(RATE, times, 0).reserveNs(1000);
    nowNs.set(S);
    assertThat(link(RATE, times, 0).reserveNs(1000)).isEqualTo(2 * S);
  }

  @Test
  void shouldCountWhatManyThreadsSend(SplittableRandom random) throws Exception {
    Link link = link(RATE, Link.ownTimes(16), 0);
    int each = 1 + random.nextInt(100);
    Thread[] threads = new Thread[4];
    for (int i = 0; i < threads.length; i++) {
      threads[i] =
          new Thread(
              () -> {
                for (int n = 0; n < 1000; n++) {
                  link.reserveNs(each);
                }
              });
      threads[i].start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(link.reserveNs(0)).isEqualTo(5 * S + 4000L * each * S / 1000);
  }

  @Test
  void shouldEndItsWaitWhenItIsInterrupted() {
    Link link = new Link(new LinkRate(1, 0), Link.ownTimes(16), 0, System::nanoTime);
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> link.send(1000)).isInstanceOf(InterruptedIOException.class);
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void shouldRefuseALinkThatSendsNothing() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new LinkRate(0, 1))
        .withMessageContaining("0 bytes/s");
  }
}
