package dev.sailfish.metaserver.rpc;

import com.google.protobuf.ByteString;
import dev.sailfish.ground.server.Authenticator;
import dev.sailfish.ground.server.Principal;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.server.kerberos.KerberosUsers;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.introduction.IntroductionBox;
import dev.sailfish.ground.wire.introduction.ServerKey;
import dev.sailfish.ground.wire.secret.Handshake;
import dev.sailfish.ground.wire.secret.HmacSha256;
import dev.sailfish.ground.wire.secret.SealedKey;
import dev.sailfish.metaserver.MetaserverKey;
import dev.sailfish.metaserver.state.AdmittedJobs;
import dev.sailfish.metaserver.state.JobSpec;
import dev.sailfish.metaserver.wire.Admit;
import dev.sailfish.metaserver.wire.JournalEntry;
import dev.sailfish.protocol.wire.GetJobKeyResponse;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.util.HexFormat;
import java.util.Optional;

/**
 * Who may connect to the metaserver: the cluster, jobs that were admitted, and tasks that introduce
 * jobs for which something speaks, and users with Kerberos, who get tokens. Boxes are opened in one
 * queue, and what speaks for a job is looked at in another one, where that may wait for the
 * ResourceManager.
 */
public final class JobAuthenticator implements Authenticator, Closeable {
  private static final int SUFFIX_BYTES = 4;

  /** With a suffix an id is 9 characters longer, and chunks take 96. */
  private static final int MAX_NAME_CHARS = 87;

  private final StateDriver driver;
  private final byte[] secret;
  private final ServerKey serverKey;
  private final Principal cluster;
  private final Admission admission;
  private final Optional<KerberosUsers> users;
  private final FairQueue opener;
  private final FairQueue admitter;

  /**
   * @param secret the cluster secret
   * @param admission is called in the second queue
   * @param users absent without Kerberos
   * @param opener where boxes are opened; is closed with this object, as the next one is
   * @param admitter where jobs are admitted
   */
  public JobAuthenticator(
      StateDriver driver,
      byte[] secret,
      Admission admission,
      Optional<KerberosUsers> users,
      FairQueue opener,
      FairQueue admitter) {
    this.driver = driver;
    this.secret = secret.clone();
    this.serverKey = ServerKey.of(secret);
    this.cluster = Principal.ofCluster(secret);
    this.admission = admission;
    this.users = users;
    this.opener = opener;
    this.admitter = admitter;
  }

  /** The key by which tasks know the metaservers of this cluster, as text. */
  public String publicKey() {
    return serverKey.publicText();
  }

  @Override
  public void find(String name, byte[] keyId, Answer answer) {
    if (name.equals(Handshake.CLUSTER)) {
      answer.found(cluster);
      return;
    }
    if (name.equals(Handshake.USER)) {
      negotiate(answer);
      return;
    }
    try {
      if (name.startsWith(Handshake.JOB_PREFIX)) {
        answer.found(principalOf(name.substring(Handshake.JOB_PREFIX.length())));
        return;
      }
      AdmittedJobs.Admitted job = admitted(taskOf(name), ByteString.copyFrom(keyId));
      byte[] taskKey = job == null ? null : job.taskKey();
      if (taskKey == null) {
        answer.introduce();
      } else {
        answer.found(job.principal(), taskKey);
      }
    } catch (RequestRefusedException e) {
      answer.refused(e.status(), e.getMessage());
    }
  }

  private void negotiate(Answer answer) {
    if (users.isPresent()) {
      answer.negotiate(users.get().negotiation());
    } else {
      answer.refused(
          Status.UNAUTHENTICATED,
          ("this metaserver has no Kerberos, and so no delegation tokens: set %s and %s there,"
                  + " or name no sailfish:// in mapreduce.job.hdfs-servers")
              .formatted(
                  MetaserverKey.KERBEROS.principal().name(),
                  MetaserverKey.KERBEROS.keytab().name()));
    }
  }

  private Principal principalOf(String id) throws RequestRefusedException {
    JobSpec.requireName(id);
    Principal principal = driver.lead((state, now) -> state.principalOf(id, now));
    if (principal == null) {
      throw new RequestRefusedException(
          Status.JOB_UNKNOWN,
          "no such job was admitted here; it has ended, or did nothing for too long: job=" + id);
    }
    return principal;
  }

  private static String taskOf(String name) throws RequestRefusedException {
    if (!name.startsWith(Handshake.TASK_PREFIX)) {
      throw new RequestRefusedException(
          Status.UNAUTHENTICATED, "principal must be 'cluster', 'job <id>' or 'task <job name>'");
    }
    String job = JobSpec.requireName(name.substring(Handshake.TASK_PREFIX.length()));
    if (job.indexOf(AdmittedJobs.TILDE) >= 0) {
      throw new RequestRefusedException(
          Status.BAD_REQUEST,
          "job name='%s' must not have a '%s'".formatted(job, AdmittedJobs.TILDE));
    }
    return job;
  }

  private AdmittedJobs.Admitted admitted(String job, ByteString keyId)
      throws RequestRefusedException {
    return driver.lead((state, now) -> state.admitted().find(job, keyId, now));
  }

  // ---- introductions

  @Override
  public void introduce(Introduced introduced, Answer answer) {
    boolean taken =
        opener.offer(address(introduced), () -> guarded(introduced, answer, this::open));
    if (!taken) {
      answer.refused(Status.BUSY, "too many introductions wait here, also from this address");
    }
  }

  private static InetAddress address(Introduced introduced) {
    return FairQueue.address(introduced.request());
  }

  /** One step of an introduction; answers, or has another step answer. */
  private interface Step {
    void on(Introduced introduced, Answer answer) throws RequestRefusedException;
  }

  private static void guarded(Introduced introduced, Answer answer, Step step) {
    try {
      if (!introduced.request().connected()) {
        throw new RequestRefusedException(Status.BUSY, "the task that introduced it has gone");
      }
      step.on(introduced, answer);
    } catch (RequestRefusedException e) {
      answer.refused(e.status(), e.getMessage());
    } catch (RuntimeException e) {
      answer.refused(Status.INTERNAL, "metaserver failed at an introduction: " + e);
      throw e;
    }
  }

  private void open(Introduced introduced, Answer answer) throws RequestRefusedException {
    String job = taskOf(introduced.name());
    IntroductionBox.Opened opened;
    try {
      opened =
          IntroductionBox.open(
              serverKey,
              introduced.ephemeralKey(),
              introduced.name(),
              introduced.session(),
              introduced.box());
    } catch (IOException e) {
      throw new RequestRefusedException(
          Status.UNAUTHENTICATED,
          ("introduction of job=%s cannot be read; is sailfish.metaserver.public.key of this"
                  + " cluster? %s")
              .formatted(job, e.getMessage()));
    }
    if (opened.introduction().getTaskKey().size() != HmacSha256.LENGTH) {
      throw new RequestRefusedException(
          Status.UNAUTHENTICATED, "introduction of job=" + job + " brings no key");
    }
    AdmittedJobs.Admitted known = admitted(job, keyId(opened));
    if (known != null) {
      answer.found(known.principal(), opened.key());
      return;
    }
    Step admit = (again, last) -> admit(again, job, opened, last);
    if (!admitter.offer(address(introduced), () -> guarded(introduced, answer, admit))) {
      throw new RequestRefusedException(
          Status.BUSY,
          "too many jobs wait to be admitted here, also from this address: job=" + job);
    }
  }

  private static ByteString keyId(IntroductionBox.Opened opened) {
    byte[] taskKey = opened.introduction().getTaskKey().toByteArray();
    return ByteString.copyFrom(Handshake.keyId(taskKey));
  }

  /** Admits a job, unless another of its tasks was faster. */
  private void admit(
      Introduced introduced, String job, IntroductionBox.Opened opened, Answer answer)
      throws RequestRefusedException {
    ByteString keyId = keyId(opened);
    AdmittedJobs.Admitted known = admitted(job, keyId);
    if (known != null) {
      answer.found(known.principal(), opened.key());
      return;
    }
    Admission.Admitted good = admission.admit(job, opened.introduction());
    if (!good.byName()) {
      driver.lead(
          (state, now) -> {
            state.admitted().requireFewIdle(good.user(), job);
            return null;
          });
    }
    boolean named = opened.introduction().getNamesKey();
    Admit.Builder admit =
        Admit.newBuilder()
            .setName(job)
            .setSuffix(HexFormat.of().formatHex(Handshake.random(SUFFIX_BYTES)))
            .setKeyId(keyId)
            .setTaskKey(named ? opened.introduction().getTaskKey() : ByteString.EMPTY)
            .setAccessKey(ByteString.copyFrom(Handshake.random(HmacSha256.LENGTH)))
            .setUser(good.user())
            .setByName(good.byName())
            .setAddress(address(introduced).getHostAddress());
    driver
        .change(JournalEntry.newBuilder().setAdmit(admit))
        .whenComplete((reply, error) -> admitted(job, keyId, opened.key(), error, answer));
  }

  /** The job is known once the entry is applied, with the key of the first of its tasks. */
  private void admitted(
      String job, ByteString keyId, byte[] boxKey, Throwable error, Answer answer) {
    try {
      if (error != null) {
        throw RequestDispatch.ANSWERS.refusal(error);
      }
      AdmittedJobs.Admitted known = admitted(job, keyId);
      if (known == null) {
        throw new RequestRefusedException(Status.BUSY, "job=" + job + " was forgotten at once");
      }
      answer.found(known.principal(), boxKey);
    } catch (RequestRefusedException e) {
      answer.refused(e.status(), e.getMessage());
    }
  }

  @Override
  public void close() {
    opener.close();
    admitter.close();
  }

  // ---- for chunkservers

  /**
   * A job's access key, for a chunkserver.
   *
   * @param principal with the job's key, or null
   * @param session of the connection that it goes over
   * @throws RequestRefusedException JOB_UNKNOWN when the job was not admitted
   */
  GetJobKeyResponse seal(String job, Principal principal, byte[] session)
      throws RequestRefusedException {
    if (principal == null) {
      throw new RequestRefusedException(
          Status.JOB_UNKNOWN, "no such job was admitted, so it has no key: job=" + job);
    }
    SealedKey sealed = SealedKey.seal(secret, session, job, principal.copyOfKey());
    return GetJobKeyResponse.newBuilder()
        .setSalt(sealed.salt())
        .setSealedKey(sealed.sealed())
        .setMac(sealed.mac())
        .build();
  }
}
