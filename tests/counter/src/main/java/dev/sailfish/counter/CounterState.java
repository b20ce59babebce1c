package dev.sailfish.counter;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.sailfish.counter.message.Counter;
import dev.sailfish.counter.message.Counters;
import dev.sailfish.counter.message.IncrementRequest;
import dev.sailfish.ground.journal.StateMachine;
import dev.sailfish.ground.journal.StateView;
import java.io.IOException;
import java.io.InputStream;

/** The counters, the same on all peers. Thread-safe. */
final class CounterState implements StateMachine {
  private Counters counters = Counters.getDefaultInstance();

  synchronized Counters counters() {
    return counters;
  }

  @Override
  public synchronized byte[] apply(byte[] entry, long timeMs) {
    IncrementRequest increment;
    try {
      increment = IncrementRequest.parseFrom(entry);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalArgumentException("entry is damaged", e);
    }
    Counters.Builder next = counters.toBuilder().setTimeMs(timeMs);
    String job = increment.getJob();
    Counter counter = counters.getCountersOrDefault(job, Counter.getDefaultInstance());
    if (increment.getNumber() > counter.getLastOrDefault(increment.getClient(), 0)) {
      counter =
          counter.toBuilder()
              .setValue(counter.getValue() + 1)
              .putLast(increment.getClient(), increment.getNumber())
              .build();
      next.putCounters(job, counter);
    }
    counters = next.build();
    return counter.toByteArray();
  }

  @Override
  public synchronized StateView freeze() {
    return StateView.of(counters.toByteArray());
  }

  @Override
  public synchronized long load(InputStream in) throws IOException {
    counters = Counters.parseFrom(in);
    return counters.getTimeMs();
  }

  @Override
  public byte[] firstEntry() {
    return IncrementRequest.getDefaultInstance().toByteArray();
  }
}
