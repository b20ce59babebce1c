package dev.sailfish.ground.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.ground.server.frame.EchoService;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.Service;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.message.EmptyResponse;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class PrincipalTest {
  private static final Operation<EmptyResponse, EmptyResponse> ASK =
      new Service(210, 210).operation(210, "ASK", Operation.Caller.BEARER);

  private final Principal job = Principal.ofJob("job_1", new byte[] {7, 7, 7});

  private static void assertRefused(Status status, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            RequestRefusedException.class, e -> assertThat(e.status()).isEqualTo(status));
  }

  @Test
  void aJobMayNameItselfOnly() throws RequestRefusedException {
    job.requireJob("job_1");
    job.check(EchoService.COLLECT);
    for (String other : new String[] {"job_2", "job_", "job_11", ""}) {
      assertRefused(Status.FORBIDDEN, () -> job.requireJob(other));
    }
    assertRefused(Status.FORBIDDEN, () -> job.check(EchoService.LIST));
  }

  @Test
  void aJobThatHasEndedMayNothing() {
    job.end();
    assertRefused(Status.JOB_UNKNOWN, () -> job.requireJob("job_1"));
    assertRefused(Status.FORBIDDEN, () -> job.requireJob("job_2"));
  }

  @Test
  void theClusterMayEverything() throws RequestRefusedException {
    for (Principal all :
        new Principal[] {Principal.ofCluster(new byte[] {1}), Principal.EVERYBODY}) {
      all.requireJob("job_1");
      all.requireJob("");
      all.check(EchoService.COLLECT);
      all.check(EchoService.LIST);
    }
  }

  @Test
  void aUserMayOnlyWhatIsForUsers() throws RequestRefusedException {
    RequestHandler requests = request -> {};
    Principal user = Principal.ofUser("alice", requests);
    assertThat(user.name()).isEqualTo("user alice");
    assertThat(user.requests()).isSameAs(requests);
    user.check(EchoService.GREET);
    user.check(Operation.HELLO);
    assertRefused(Status.FORBIDDEN, () -> user.check(EchoService.COLLECT));
    assertRefused(Status.FORBIDDEN, () -> user.check(EchoService.LIST));
    for (Principal other :
        new Principal[] {job, Principal.ofCluster(new byte[] {1}), Principal.EVERYBODY}) {
      assertRefused(Status.FORBIDDEN, () -> other.check(EchoService.GREET));
    }
  }

  @Test
  void aBearerMayWhatIsForBearers() throws RequestRefusedException {
    Principal bearer = Principal.ofBearer("alice", new byte[] {1});
    assertThat(bearer.name()).isEqualTo("user alice");
    assertThat(bearer.user()).isEqualTo("alice");
    assertThat(bearer.requests()).isNull();
    for (Principal may : new Principal[] {bearer, Principal.ofCluster(new byte[] {1})}) {
      may.check(ASK);
    }
    assertRefused(Status.FORBIDDEN, () -> bearer.check(EchoService.COLLECT));
    assertRefused(Status.FORBIDDEN, () -> bearer.check(EchoService.LIST));
    assertRefused(Status.FORBIDDEN, () -> bearer.check(EchoService.GREET));
    assertRefused(Status.FORBIDDEN, () -> job.check(ASK));
    assertRefused(Status.FORBIDDEN, () -> Principal.ofUser("alice", request -> {}).check(ASK));
  }

  @Test
  void showsNoKey() {
    assertThat(job.toString()).isEqualTo("job job_1").isEqualTo(job.name());
    assertThatIllegalArgumentException().isThrownBy(() -> Principal.ofJob("", new byte[] {1}));
  }
}
