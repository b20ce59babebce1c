package dev.sailfish.workbuilder.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.format.CorruptFormatException;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.UnsupportedFormatException;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.workbuilder.plan.stored.StoredTask;
import java.util.SplittableRandom;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

@Seeded
class TaskWorkTest {
  private static byte[] border(SplittableRandom random) {
    byte[] key = new byte[random.nextInt(9)];
    random.nextBytes(key);
    return random.nextBoolean() ? key : null;
  }

  private static TaskWork work(SplittableRandom random) {
    int number = random.nextInt(9);
    int first = random.nextInt(9);
    return new TaskWork(
        new ReduceWork(number, first, first, 2, border(random), border(random), 7, 8, 9),
        number + 1 + random.nextInt(9));
  }

  @RepeatedTest(50)
  void shouldGiveBackAnEqualWork(SplittableRandom random) throws FormatException {
    TaskWork work = work(random);
    assertThat(TaskWork.decode(work.encode())).isEqualTo(work);
  }

  @Test
  void shouldRefuseEachFlippedBit(SplittableRandom random) {
    byte[] bytes = work(random).encode();
    for (int bit = 0; bit < 8 * bytes.length; bit++) {
      byte[] flipped = bytes.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      assertThatThrownBy(() -> TaskWork.decode(flipped))
          .isInstanceOf(CorruptFormatException.class)
          .hasMessageContaining("reduce work is damaged: bytes=" + bytes.length);
    }
  }

  @Test
  void shouldRefuseWhatANewerReleaseWrote() {
    byte[] newer = Sealed.seal(StoredTask.newBuilder().setVersion(2).build());
    assertThatThrownBy(() -> TaskWork.decode(newer))
        .isInstanceOf(UnsupportedFormatException.class)
        .hasMessageContaining("reduce work");
  }

  @Test
  void shouldRefuseANumberThatIsNotAmongTheWorks() {
    byte[] wrong =
        Sealed.seal(StoredTask.newBuilder().setVersion(1).setWorks(2).setNumber(2).build());
    assertThatThrownBy(() -> TaskWork.decode(wrong))
        .isInstanceOf(CorruptFormatException.class)
        .hasMessageContaining("is not among works=2");
  }
}
