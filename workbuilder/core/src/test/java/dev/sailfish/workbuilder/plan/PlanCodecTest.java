package dev.sailfish.workbuilder.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.format.Checksum;
import dev.sailfish.format.CorruptFormatException;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.UnsupportedFormatException;
import dev.sailfish.format.order.GroupOrder;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import dev.sailfish.workbuilder.plan.stored.StoredPlan;
import dev.sailfish.workbuilder.plan.stored.StoredWork;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

@Seeded
class PlanCodecTest {
  private static ReducePlan plan(SplittableRandom random) {
    SampleJob job = new SampleJob(random, Arrays::compareUnsigned, 0);
    List<PartitionData> data = new ArrayList<>(job.data());
    data.add(
        new PartitionData(
            1, 1 << 20, 0, 0, List.of(), "not to be split: \u00fc \ud83d\udc1f \ud83d", null));
    ReducePolicy policy = ReducePolicy.auto(WorkTarget.given(1 + job.winnerBytes() / 9), 20);
    return ReducePlanner.plan(
            data, new GroupOrder(KeyOrder.normalized(KeyEncoding.RAW), null), policy)
        .ofWinners(random.nextInt(9));
  }

  private static byte[] stored(StoredPlan.Builder plan) {
    byte[] message = plan.build().toByteArray();
    return ByteBuffer.allocate(message.length + 4)
        .put(message)
        .putInt(Checksum.of(message, 0, message.length))
        .array();
  }

  @RepeatedTest(50)
  void shouldGiveBackAnEqualPlan(SplittableRandom random) throws FormatException {
    ReducePlan plan = plan(random);
    ReducePlan read = PlanCodec.decode(PlanCodec.encode(plan));
    assertThat(read).isEqualTo(plan).hasSameHashCodeAs(plan);
    assertThat(PlanCodec.encode(read)).isEqualTo(PlanCodec.encode(plan));
  }

  @Test
  void shouldGiveBackTheFixedPlan(SplittableRandom random) throws FormatException {
    PartitionData data = new PartitionData(random.nextInt(99), random.nextInt(99), List.of());
    GroupOrder order = new GroupOrder(KeyOrder.normalized(KeyEncoding.RAW), null);
    ReducePlan plan = ReducePlanner.plan(List.of(data, data), order, ReducePolicy.FIXED);
    assertThat(PlanCodec.decode(PlanCodec.encode(plan))).isEqualTo(plan);
  }

  @Test
  void shouldRefuseEachFlippedBit(SplittableRandom random) {
    byte[] stored = PlanCodec.encode(plan(random));
    for (int bit = 0; bit < 8 * stored.length; bit++) {
      byte[] flipped = stored.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      assertThatThrownBy(() -> PlanCodec.decode(flipped))
          .isInstanceOf(CorruptFormatException.class)
          .hasMessageContaining("plan is damaged: bytes=" + stored.length);
    }
  }

  @Test
  void shouldRefuseWhatIsCutOff(SplittableRandom random) {
    byte[] stored = PlanCodec.encode(plan(random));
    for (int length = 0; length < stored.length; length++) {
      byte[] cut = Arrays.copyOf(stored, length);
      assertThatThrownBy(() -> PlanCodec.decode(cut)).isInstanceOf(FormatException.class);
    }
  }

  @RepeatedTest(50)
  void shouldRefuseGarbageWithAGoodChecksum(SplittableRandom random) {
    byte[] garbage = TestBytes.random(random, random.nextInt(1, 200));
    byte[] stored =
        ByteBuffer.allocate(garbage.length + 4)
            .put(garbage)
            .putInt(Checksum.of(garbage, 0, garbage.length))
            .array();
    assertThatThrownBy(() -> PlanCodec.decode(stored)).isInstanceOf(FormatException.class);
  }

  @Test
  void shouldRefuseANewerVersion() {
    assertThatThrownBy(() -> PlanCodec.decode(stored(StoredPlan.newBuilder().setVersion(2))))
        .isInstanceOf(UnsupportedFormatException.class)
        .hasMessage("plan has version=2, this Sailfish reads version=1");
  }

  @Test
  void shouldRefuseAPlanThatLeavesAPartitionOut() {
    StoredPlan.Builder plan =
        StoredPlan.newBuilder()
            .setVersion(1)
            .setTargetBytes(1)
            .addWorks(StoredWork.newBuilder().setFirstPartition(1).setLastPartition(1));
    assertThatThrownBy(() -> PlanCodec.decode(stored(plan)))
        .isInstanceOf(CorruptFormatException.class)
        .hasMessageContaining("plan is malformed: ReduceWork[")
        .hasMessageContaining("does not follow null");
  }
}
