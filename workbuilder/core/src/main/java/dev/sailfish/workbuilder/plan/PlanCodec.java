package dev.sailfish.workbuilder.plan;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.sailfish.format.CorruptFormatException;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.UnsupportedFormatException;
import dev.sailfish.workbuilder.plan.stored.StoredHeavyKey;
import dev.sailfish.workbuilder.plan.stored.StoredPlan;
import dev.sailfish.workbuilder.plan.stored.StoredRefusal;
import dev.sailfish.workbuilder.plan.stored.StoredTotal;
import dev.sailfish.workbuilder.plan.stored.StoredWork;
import java.util.ArrayList;
import java.util.List;

/**
 * Plans as bytes, to be read back by another process: the message of {@code workbuilder.proto},
 * then its CRC32C in four bytes, big endian.
 */
public final class PlanCodec {
  private static final int VERSION = 1;

  private PlanCodec() {}

  /** The plan as bytes; equal plans have equal bytes. */
  public static byte[] encode(ReducePlan plan) {
    StoredPlan.Builder stored =
        StoredPlan.newBuilder()
            .setVersion(VERSION)
            .setTargetBytes(plan.target().bytes())
            .setTargetReason(plan.target().reason())
            .setWinners(plan.winners());
    plan.works().forEach(work -> stored.addWorks(encode(work)));
    for (Refusal refusal : plan.refusals()) {
      stored.addRefusals(
          StoredRefusal.newBuilder().setPartition(refusal.partition()).setReason(refusal.reason()));
    }
    for (HeavyKey heavy : plan.heavyKeys()) {
      stored.addHeavyKeys(
          StoredHeavyKey.newBuilder()
              .setPartition(heavy.partition())
              .setKey(heavy.key())
              .setRawBytes(heavy.rawBytes()));
    }
    for (PartitionTotal total : plan.totals()) {
      stored.addTotals(
          StoredTotal.newBuilder()
              .setPartition(total.partition())
              .setRecords(total.records())
              .setBytes(total.bytes())
              .setChecksum(total.checksum()));
    }
    return Sealed.seal(stored.build());
  }

  static StoredWork.Builder encode(ReduceWork work) {
    StoredWork.Builder stored =
        StoredWork.newBuilder()
            .setFirstPartition(work.firstPartition())
            .setLastPartition(work.lastPartition())
            .setRange(work.range())
            .setRecords(work.records())
            .setRawBytes(work.rawBytes())
            .setMaxRawBytes(work.maxRawBytes());
    if (work.from() != null) {
      stored.setFrom(ByteString.copyFrom(work.from()));
    }
    if (work.to() != null) {
      stored.setTo(ByteString.copyFrom(work.to()));
    }
    return stored;
  }

  /**
   * The plan again.
   *
   * @throws CorruptFormatException when these are not the bytes of a plan
   * @throws UnsupportedFormatException when a newer release wrote them
   */
  public static ReducePlan decode(byte[] bytes) throws FormatException {
    try {
      return decode(StoredPlan.parseFrom(Sealed.open("plan", bytes)));
    } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
      throw new CorruptFormatException("plan is malformed: " + e.getMessage());
    }
  }

  private static ReducePlan decode(StoredPlan stored) throws UnsupportedFormatException {
    UnsupportedFormatException.check("plan", stored.getVersion(), VERSION);
    List<ReduceWork> works = new ArrayList<>();
    for (StoredWork work : stored.getWorksList()) {
      works.add(decode(works.size(), work));
    }
    return new ReducePlan(
        new WorkTarget(stored.getTargetBytes(), stored.getTargetReason()),
        works,
        stored.getRefusalsList().stream()
            .map(refusal -> new Refusal(refusal.getPartition(), refusal.getReason()))
            .toList(),
        stored.getHeavyKeysList().stream()
            .map(heavy -> new HeavyKey(heavy.getPartition(), heavy.getKey(), heavy.getRawBytes()))
            .toList(),
        stored.getTotalsList().stream()
            .map(
                total ->
                    new PartitionTotal(
                        total.getPartition(),
                        total.getRecords(),
                        total.getBytes(),
                        total.getChecksum()))
            .toList(),
        stored.getWinners());
  }

  static ReduceWork decode(int number, StoredWork work) {
    return new ReduceWork(
        number,
        work.getFirstPartition(),
        work.getLastPartition(),
        work.getRange(),
        work.hasFrom() ? work.getFrom().toByteArray() : null,
        work.hasTo() ? work.getTo().toByteArray() : null,
        work.getRecords(),
        work.getRawBytes(),
        work.getMaxRawBytes());
  }
}
