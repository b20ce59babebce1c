package dev.sailfish.imerger;

import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.message.EmptyResponse;
import dev.sailfish.protocol.wire.DescribeJobResponse;
import dev.sailfish.protocol.wire.PlanPartitionRequest;
import dev.sailfish.protocol.wire.PlanPartitionResponse;
import dev.sailfish.protocol.wire.ReportUnreadableRequest;
import dev.sailfish.testkit.FreePort;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** Answers with the plan that a test gives it. */
final class ScriptedMetaserver extends ScriptedServer {
  private final Function<PlanPartitionRequest, PlanPartitionResponse> planner;
  private volatile DescribeJobResponse description = DescribeJobResponse.getDefaultInstance();
  private final AtomicInteger cuts = new AtomicInteger();
  private final AtomicInteger plans = new AtomicInteger();
  private final AtomicInteger descriptions = new AtomicInteger();
  private final Set<Long> unreadable = ConcurrentHashMap.newKeySet();

  ScriptedMetaserver(Function<PlanPartitionRequest, PlanPartitionResponse> planner)
      throws IOException {
    super(FreePort.next());
    this.planner = planner;
  }

  void describe(DescribeJobResponse job) {
    description = job;
  }

  /** Cuts the next connections instead of answering. */
  void cutNext(int count) {
    cuts.set(count);
  }

  int plans() {
    return plans.get();
  }

  /** How often it was asked about the job. */
  int descriptions() {
    return descriptions.get();
  }

  /** The chunks that it was told of as unreadable. */
  Set<Long> unreadable() {
    return unreadable;
  }

  @Override
  Reply handle(Operation<?, ?> operation, byte[] header, byte[] payload)
      throws IOException, Refusal, Cut {
    if (cuts.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
      throw new Cut();
    }
    switch (operation.name()) {
      case "PLAN_PARTITION":
        plans.incrementAndGet();
        PlanPartitionRequest request = PlanPartitionRequest.parseFrom(header);
        if (!request.getJob().equals(Partition.JOB)) {
          throw new Refusal(Status.JOB_UNKNOWN);
        }
        return new Reply(planner.apply(request));
      case "REPORT_UNREADABLE":
        unreadable.addAll(ReportUnreadableRequest.parseFrom(header).getChunksList());
        return new Reply(EmptyResponse.getDefaultInstance());
      case "DESCRIBE_JOB":
        descriptions.incrementAndGet();
        return new Reply(description);
      default:
        throw new Refusal(Status.BAD_REQUEST);
    }
  }
}
