package dev.sailfish.counter;

import dev.sailfish.counter.message.Counter;
import dev.sailfish.counter.message.Counters;
import dev.sailfish.counter.message.IncrementRequest;
import dev.sailfish.counter.message.ListRequest;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.Service;
import dev.sailfish.ground.wire.message.EmptyResponse;
import dev.sailfish.ground.wire.message.JournalRequest;

/** The operations, and who may ask for them. */
final class CounterService {
  static final Service SERVICE = new Service(192, 194);

  /** Counts one more for a job, and answers with its counter. */
  static final Operation<IncrementRequest, Counter> INCREMENT =
      SERVICE.operation(192, "INCREMENT", Operation.Caller.JOB);

  /** All counters, for the cluster's commands. */
  static final Operation<ListRequest, Counters> LIST =
      SERVICE.operation(193, "LIST", Operation.Caller.CLUSTER);

  /** Between peers. */
  static final Operation<JournalRequest, EmptyResponse> JOURNAL =
      SERVICE.operation(194, "JOURNAL", Operation.Caller.CLUSTER);

  private CounterService() {}
}
