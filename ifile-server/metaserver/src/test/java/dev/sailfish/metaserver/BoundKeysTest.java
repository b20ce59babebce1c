package dev.sailfish.metaserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.protocol.Status;
import dev.sailfish.transport.Principal;
import dev.sailfish.transport.RequestRefusedException;
import org.junit.jupiter.api.Test;

/** How the core binds jobs to keys and forgets them. */
class BoundKeysTest {
  private static final byte[] KEY = new byte[32];
  private static final byte[] OTHER_KEY = {1, 2, 3};

  private final CoreFixture core = new CoreFixture();

  private Principal bind(String job, byte[] key) throws RequestRefusedException {
    return core.state.bindKey(job, key, core.nowMs);
  }

  private void delete(String job) {
    core.state.deleteJob(job, MetaserverCounter.JOBS_DELETED, "test", core.nowMs);
  }

  private static void assertEnded(Principal principal) {
    assertThatThrownBy(() -> principal.requireJob("job_1"))
        .isInstanceOfSatisfying(
            RequestRefusedException.class,
            e -> assertThat(e.status()).isEqualTo(Status.JOB_UNKNOWN));
  }

  @Test
  void theFirstKeyCounts() throws RequestRefusedException {
    assertThat(core.state.keyOf("job_1", core.nowMs)).isNull();
    Principal first = bind("job_1", KEY);
    assertThat(first.copyOfKey()).isEqualTo(KEY);
    assertThat(bind("job_1", OTHER_KEY)).isSameAs(first);
    assertThat(core.state.keyOf("job_1", core.nowMs)).isSameAs(first);
    assertThat(core.state.keyOf("job_2", core.nowMs)).isNull();
  }

  @Test
  void aJobThatEndsTakesItsKeyWithIt() throws RequestRefusedException {
    Principal principal = bind("job_1", KEY);
    core.create("job_1", 1);
    principal.requireJob("job_1");
    delete("job_1");
    assertEnded(principal);
    assertThatThrownBy(() -> core.state.keyOf("job_1", core.nowMs))
        .hasMessageContaining("job has ended");
    assertThatThrownBy(() -> bind("job_1", OTHER_KEY)).hasMessageContaining("job has ended");
  }

  @Test
  void aNameThatIsFreeAgainCanHaveAnotherKey() throws RequestRefusedException {
    Principal before = bind("job_1", KEY);
    core.create("job_1", 1);
    delete("job_1");
    core.nowMs += CoreFixture.LEASE_MS;
    core.tick();
    assertThat(core.state.keyOf("job_1", core.nowMs)).isNull();
    assertThat(bind("job_1", OTHER_KEY).copyOfKey()).isEqualTo(OTHER_KEY);
    assertEnded(before);
  }

  @Test
  void aKeyWithoutAJobGoesAfterALease() throws RequestRefusedException {
    Principal never = bind("job_1", KEY);
    Principal alive = bind("job_2", KEY);
    core.create("job_2", 1);
    core.nowMs += CoreFixture.LEASE_MS - 1;
    core.state.renewLease("job_2", core.nowMs);
    core.tick();
    assertThat(core.state.keyOf("job_1", core.nowMs)).isSameAs(never);
    core.nowMs++;
    core.tick();
    assertThat(core.state.keyOf("job_1", core.nowMs)).isNull();
    assertEnded(never);
    assertThat(core.state.keyOf("job_2", core.nowMs)).isSameAs(alive);
  }

  @Test
  void aLeaseThatRunsOutTakesTheKey() throws RequestRefusedException {
    Principal principal = bind("job_1", KEY);
    core.create("job_1", 1);
    core.nowMs += CoreFixture.LEASE_MS;
    core.tick();
    assertEnded(principal);
  }
}
