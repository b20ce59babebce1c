package dev.sailfish.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.ground.server.Authenticator;
import dev.sailfish.ground.server.PayloadSink;
import dev.sailfish.ground.server.Principal;
import dev.sailfish.ground.server.Request;
import dev.sailfish.ground.server.RequestHandler;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.message.EmptyResponse;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.testkit.SeedExtension;
import java.io.IOException;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Each invariant fails when what it guards is broken on purpose. */
@ExtendWith(SeedExtension.class)
class SabotageTest {
  private static final int MOST_SCHEDULES = 100;

  private SplittableRandom seeds;

  @BeforeEach
  void setUp(SplittableRandom random) {
    seeds = random;
  }

  /** The first line of what the first schedule says that fails. */
  private String firstFailure(Supplier<Sabotage> sabotage) throws Exception {
    return firstFailure(sabotage, "");
  }

  /** The same of the first that fails by this invariant, when others may notice it before. */
  private String firstFailure(Supplier<Sabotage> sabotage, String invariant) throws Exception {
    String failure = "no schedule failed";
    for (int i = 0; i < MOST_SCHEDULES; i++) {
      try {
        Simulation.run(seeds.nextLong(), sabotage.get());
      } catch (AssertionError e) {
        failure = e.getMessage().lines().findFirst().orElseThrow();
        if (failure.startsWith(invariant)) {
          return failure;
        }
      }
    }
    return failure;
  }

  /** A handler that does as told with one operation. */
  private abstract static class Other implements RequestHandler {
    final RequestHandler handler;
    private final Operation<?, ?> operation;

    Other(RequestHandler handler, Operation<?, ?> operation) {
      this.handler = handler;
      this.operation = operation;
    }

    abstract void handleOther(Request request) throws IOException;

    @Override
    public void handle(Request request) throws IOException {
      if (request.operation() == operation) {
        handleOther(request);
      } else {
        handler.handle(request);
      }
    }

    @Override
    public PayloadSink payloadSink(Request request, int payloadLength) throws IOException {
      return handler.payloadSink(request, payloadLength);
    }
  }

  /** Answers appends well, and lets the bytes fall. */
  private static final class AckWithoutStoring extends Other {
    AckWithoutStoring(RequestHandler handler) {
      super(handler, IfileService.APPEND);
    }

    @Override
    void handleOther(Request request) {
      request.sink().abort();
      request.reply(EmptyResponse.getDefaultInstance());
    }
  }

  @Test
  void ackWithoutStoringShouldBreakNothingAckedIsLost() throws Exception {
    String failure =
        firstFailure(
            () ->
                new Sabotage() {
                  @Override
                  public RequestHandler chunkserver(RequestHandler handler) {
                    return new AckWithoutStoring(handler);
                  }
                });
    assertThat(failure).startsWith("NothingAckedIsLost: HeldBlock[");
  }

  @Test
  void turnedBitShouldBreakStableChunksDoNotChange() throws Exception {
    String failure =
        firstFailure(
            () ->
                new Sabotage() {
                  private boolean done;

                  @Override
                  public void afterEach(Cluster cluster) {
                    done = done || cluster.damageOne();
                  }
                });
    assertThat(failure)
        .startsWith("StableChunksDoNotChange: chunk=")
        .endsWith("has other bytes than before: state=SORTED");
  }

  @Test
  void forgottenRecordShouldBreakWinnersRecordsDeliveredOnce() throws Exception {
    String failure =
        firstFailure(
            () ->
                new Sabotage() {
                  @Override
                  public boolean forgets(Input.Record record) {
                    return record.key().length == 2;
                  }
                });
    assertThat(failure).startsWith("WinnersRecordsDeliveredOnce: reduce ");
  }

  @Test
  void lostJournalShouldBreakMetaserverKeepsItsBooks() throws Exception {
    String failure =
        firstFailure(
            () ->
                new Sabotage() {
                  private boolean done;

                  @Override
                  public void afterEach(Cluster cluster) throws IOException {
                    if (!done && cluster.metaserverKeepsItsBooks.commits() > 0) {
                      done = true;
                      cluster.loseJournal();
                    }
                  }
                });
    assertThat(failure)
        .startsWith("MetaserverKeepsItsBooks: Commit[")
        .endsWith("was acknowledged and is not known any more");
  }

  /** A chunkserver that waits endlessly may break MetaserverKeepsItsBooks before a client does. */
  @Test
  void endlessWaitShouldBreakEveryWaitEnds() throws Exception {
    String failure =
        firstFailure(
            () ->
                new Sabotage() {
                  @Override
                  public boolean waitsEndlessly() {
                    return true;
                  }
                },
            "EveryWaitEnds: ");
    assertThat(failure).startsWith("EveryWaitEnds: ");
  }

  @Test
  void wrongSumOfACombinerShouldBreakWinnersRecordsDeliveredOnce() throws Exception {
    String failure =
        firstFailure(
            () ->
                new Sabotage() {
                  @Override
                  public long combined(long sum) {
                    return sum + 1;
                  }
                });
    assertThat(failure).startsWith("WinnersRecordsDeliveredOnce: reduce ").contains("another sum");
  }

  /** Believes anyone who brings the strangers' key. */
  private record Gullible(Authenticator authenticator) implements Authenticator {
    @Override
    public void find(String name, byte[] keyId, Answer answer) {
      if (name.startsWith("job " + Strangers.INVENTED)) {
        answer.found(Principal.ofJob(name.substring("job ".length()), Strangers.KEY));
      } else {
        authenticator.find(name, keyId, answer);
      }
    }

    @Override
    public void introduce(Introduced introduced, Answer answer) {
      authenticator.introduce(introduced, answer);
    }
  }

  @Test
  void believedStrangerShouldBreakStrangersGetNothing() throws Exception {
    String failure =
        firstFailure(
            () ->
                new Sabotage() {
                  @Override
                  public Authenticator authenticator(Authenticator authenticator) {
                    return new Gullible(authenticator);
                  }
                });
    assertThat(failure)
        .startsWith("StrangersGetNothing: ")
        .contains("answers AUTHENTICATE of a stranger: principal=job " + Strangers.INVENTED);
  }

  /** Fails at reading. */
  private static final class FailingReader extends Other {
    FailingReader(RequestHandler handler) {
      super(handler, IfileService.READ);
    }

    @Override
    void handleOther(Request request) {
      throw new IllegalStateException("broken on purpose");
    }
  }

  @Test
  void failingServerShouldBreakServersNeverFail() throws Exception {
    String failure =
        firstFailure(
            () ->
                new Sabotage() {
                  @Override
                  public RequestHandler chunkserver(RequestHandler handler) {
                    return new FailingReader(handler);
                  }
                });
    assertThat(failure).contains("broken on purpose").startsWith("ServersNeverFail: s");
  }
}
