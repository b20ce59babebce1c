package dev.sailfish.imerger;

import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.protocol.wire.DescribeJobResponse;
import dev.sailfish.protocol.wire.PlanPartitionRequest;
import dev.sailfish.protocol.wire.PlanPartitionResponse;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** Answers with the plan that a test gives it. */
final class ScriptedMetaserver extends ScriptedServer {
  private final Function<PlanPartitionRequest, PlanPartitionResponse> planner;
  private volatile DescribeJobResponse description = DescribeJobResponse.getDefaultInstance();
  private final AtomicInteger cuts = new AtomicInteger();
  private final AtomicInteger plans = new AtomicInteger();

  ScriptedMetaserver(Function<PlanPartitionRequest, PlanPartitionResponse> planner)
      throws IOException {
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
      case "DESCRIBE_JOB":
        return new Reply(description);
      default:
        throw new Refusal(Status.BAD_REQUEST);
    }
  }
}
