package dev.sailfish.metaserver.state;

import static dev.sailfish.metaserver.state.CoreFixture.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.sailfish.ground.server.Principal;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.metaserver.MetaserverMetric;
import dev.sailfish.metaserver.wire.Admit;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** How the core keeps jobs apart that were admitted, and forgets them. */
class AdmittedJobsTest {
  private static final String JOB = "job_1_1";

  private final CoreFixture core = new CoreFixture();

  private static ByteString bytes(int value) {
    return ByteString.copyFrom(new byte[] {(byte) (value >> 8), (byte) value});
  }

  private static Admit.Builder job(String name, int key) {
    return Admit.newBuilder()
        .setName(name)
        .setSuffix("%08x".formatted(key))
        .setKeyId(bytes(key))
        .setAccessKey(bytes(key))
        .setUser("ann")
        .setByName(true)
        .setAddress("10.0.0." + key / 4);
  }

  private AdmittedJobs.Admitted admit(Admit.Builder admit) throws RequestRefusedException {
    core.state.admit(admit.build(), core.nowMs);
    return find(admit.getName(), admit.getKeyId());
  }

  private AdmittedJobs.Admitted find(String name, ByteString keyId) throws RequestRefusedException {
    return core.state.admitted().find(name, keyId, core.nowMs);
  }

  private void delete(String job) {
    core.state.deleteJob(job, MetaserverMetric.JOBS_DELETED, "test", core.nowMs);
  }

  private static void assertEnded(Principal principal) {
    assertRefused(Status.JOB_UNKNOWN, "has ended", () -> principal.requireJob(principal.job()));
  }

  @Test
  void aJobIsItsNameAndItsKey() throws RequestRefusedException {
    AdmittedJobs.Admitted first = admit(job(JOB, 1));
    AdmittedJobs.Admitted second = admit(job(JOB, 2));
    assertThat(first.id()).isEqualTo(JOB);
    assertThat(second.id()).isEqualTo("job_1_1~00000002");
    assertThat(core.state.admitted().isShared(JOB)).isTrue();
    assertThat(admit(job(JOB, 1).setAccessKey(bytes(9)))).isSameAs(first);
    assertThat(core.state.principalOf("job_1_1~00000002", core.nowMs)).isSameAs(second.principal());
    assertThat(find(JOB, bytes(3))).isNull();
    assertThat(first.taskKey()).as("of a short secret").isNull();
    assertThat(admit(job(JOB, 3).setTaskKey(bytes(7))).taskKey()).isEqualTo(new byte[] {0, 7});
  }

  @Test
  void aNameOfTheClustersJobIsTaken() throws RequestRefusedException {
    core.create(JOB, 1);
    assertThat(admit(job(JOB, 1)).id()).isEqualTo("job_1_1~00000001");
  }

  @Test
  void aJobThatEndsTakesItsKeyWithIt() throws RequestRefusedException {
    Principal principal = admit(job(JOB, 1)).principal();
    core.create(JOB, 1);
    principal.requireJob(JOB);
    delete(JOB);
    assertEnded(principal);
    assertRefused(
        Status.JOB_UNKNOWN, "job has ended", () -> core.state.principalOf(JOB, core.nowMs));
    assertRefused(Status.JOB_UNKNOWN, "job has ended", () -> admit(job(JOB, 1)));
    assertThat(admit(job(JOB, 2)).id()).as("of another").isEqualTo("job_1_1~00000002");
    core.nowMs += CoreFixture.LEASE_MS;
    core.tick();
    assertThat(admit(job(JOB, 1)).id()).isEqualTo(JOB);
    assertEnded(principal);
  }

  @Test
  void whoDoesNothingIsForgotten() throws RequestRefusedException {
    Principal never = admit(job(JOB, 1)).principal();
    Principal ticketed = admit(job("ticketed", 2).setByName(false)).principal();
    Principal alive = admit(job("job_1_2", 3)).principal();
    core.create("job_1_2", 1);
    core.nowMs += 59_999;
    core.tick();
    assertThat(find(JOB, bytes(1))).isNotNull();
    core.nowMs++;
    core.tick();
    assertEnded(never);
    assertThat(find(JOB, bytes(1))).isNull();
    assertThat(admit(job(JOB, 1)).id()).as("may come again").isEqualTo(JOB);
    ticketed.requireJob("ticketed");
    core.nowMs += CoreFixture.LEASE_MS - 60_001;
    core.state.jobs().require("job_1_2", core.nowMs);
    core.nowMs++;
    core.tick();
    assertEnded(ticketed);
    alive.requireJob("job_1_2");
  }

  @Test
  void aNameIsUsedByFewAndByFewerOfOneAddress() throws RequestRefusedException {
    AdmittedJobs.Admitted honest = admit(job(JOB, 3));
    for (int key = 4; key < 8; key++) {
      admit(job(JOB, key));
    }
    assertRefused(
        Status.BUSY,
        "of address=10.0.0.1 jobs=4 limit=4",
        () -> admit(job(JOB, 99).setAddress("10.0.0.1")));
    assertThat(admit(job(JOB, 3))).isSameAs(honest);
    assertThat(admit(job("job_1_2", 99).setAddress("10.0.0.1")).id()).isEqualTo("job_1_2");
    for (int key = 8; key < 67; key++) {
      admit(job(JOB, key));
    }
    assertRefused(Status.BUSY, "jobs=64 limit=64", () -> admit(job(JOB, 400)));
    assertThat(admit(job(JOB, 401).setByName(false)).id())
        .as("one with a ticket")
        .isEqualTo("job_1_1~00000191");
  }

  @Test
  void aUserHasSomeJobsWithoutIfiles() throws RequestRefusedException, IOException {
    for (int key = 0; key < 1000; key++) {
      core.state.admitted().requireFewIdle("ann", "next");
      admit(job("mine" + key, key).setByName(false));
    }
    admit(job("named", 2000));
    assertTooManyIdle(core.state);
    assertTooManyIdle(ReplayTest.restored(ReplayTest.snapshot(core.state)));
    core.state.admitted().requireFewIdle("bob", "his");
    core.create("mine7", 1);
    core.create("mine7", 1);
    core.state.admitted().requireFewIdle("ann", "next");
    ReplayTest.restored(ReplayTest.snapshot(core.state)).admitted().requireFewIdle("ann", "next");
    admit(job("mine1000", 1000).setByName(false));
    assertTooManyIdle(core.state);
    delete("mine7");
    assertTooManyIdle(core.state);
    core.nowMs += CoreFixture.LEASE_MS;
    core.tick();
    core.state.admitted().requireFewIdle("ann", "next");
    assertThat(core.state.admitted().all()).isEmpty();
  }

  private static void assertTooManyIdle(MetaserverState state) {
    assertRefused(
        Status.OVER_QUOTA,
        "user=ann jobs=1000 limit=1000 job=next; those that do nothing are forgotten in 600000 ms",
        () -> state.admitted().requireFewIdle("ann", "next"));
  }

  @Test
  void theUserIsTheAdmittedOne() throws RequestRefusedException {
    admit(job(JOB, 1).setUser("ada"));
    core.create(JOB, 1);
    assertThat(core.state.users()).containsOnlyKeys("ada");
    core.create(JOB, 1);
    admit(job(JOB, 2).setUser("ada"));
    core.create("job_1_1~00000002", 5);
    assertThat(core.state.users())
        .containsEntry("ada job_1_1", new UserQuota.Usage("ada job_1_1", 1, 0, 1, 0))
        .containsEntry(
            "ada job_1_1~00000002", new UserQuota.Usage("ada job_1_1~00000002", 1, 0, 5, 0));
  }
}
