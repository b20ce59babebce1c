package dev.sailfish.metaserver.rpc;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.introduction.JobTicket;
import dev.sailfish.ground.wire.message.Introduction;
import dev.sailfish.ground.wire.message.Ticket;
import dev.sailfish.ground.wire.message.TokenEvidence;
import dev.sailfish.ground.wire.token.DelegationKey;
import dev.sailfish.metaserver.MetaserverKey;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;

/** Asks those that can judge what speaks for a job. */
public final class Admissions implements Admission {
  /** The ResourceManager's word. */
  public static final String RESOURCEMANAGER = "resourcemanager";

  /** A delegation token of the metaserver. */
  public static final String TOKEN = "token";

  /** What may be configured to speak for a job, beside a ticket, which always may. */
  static final List<String> WORDS = List.of(RESOURCEMANAGER, TOKEN);

  private final byte[] secret;
  private final LongSupplier wallMs;
  private final Set<String> words;
  private final Optional<Admission> applications;
  private final Optional<DelegationKey> tokens;

  /**
   * @param secret the cluster secret
   * @param wallMs milliseconds since 1970
   * @param words what may speak for a job, of {@link #WORDS}
   * @param applications asks the ResourceManager; absent when none is configured
   * @param tokens checks delegation tokens; absent without Kerberos
   */
  public Admissions(
      byte[] secret,
      LongSupplier wallMs,
      Set<String> words,
      Optional<Admission> applications,
      Optional<DelegationKey> tokens) {
    this.secret = secret.clone();
    this.wallMs = wallMs;
    this.words = Set.copyOf(words);
    this.applications = applications;
    this.tokens = tokens;
  }

  @Override
  public Admitted admit(String job, Introduction introduction) throws RequestRefusedException {
    return switch (introduction.getEvidenceCase()) {
      case TICKET -> byTicket(job, introduction.getTicket());
      case TOKEN -> words.contains(TOKEN) ? byToken(job, introduction) : byName(job, introduction);
      case EVIDENCE_NOT_SET -> byName(job, introduction);
    };
  }

  private Admitted byTicket(String job, ByteString bytes) throws RequestRefusedException {
    Ticket ticket;
    try {
      ticket = Ticket.parseFrom(bytes);
    } catch (InvalidProtocolBufferException e) {
      throw notAdmitted(job, "its ticket is none: " + e.getMessage());
    }
    if (!JobTicket.isGenuine(secret, job, ticket)) {
      throw notAdmitted(job, "its ticket was made for another job, or with another cluster secret");
    }
    long expiredMs = wallMs.getAsLong() - ticket.getExpiryMs();
    if (expiredMs >= 0) {
      throw notAdmitted(job, "its ticket expired " + expiredMs + " ms ago");
    }
    return new Admitted(ticket.getUser(), false);
  }

  private Admitted byToken(String job, Introduction introduction) throws RequestRefusedException {
    if (tokens.isEmpty()) {
      throw notAdmitted(job, "this metaserver takes no delegation tokens");
    }
    try {
      TokenEvidence token = TokenEvidence.parseFrom(introduction.getToken());
      String owner =
          tokens
              .get()
              .check(
                  token.getIdentifier().toByteArray(),
                  token.getMac().toByteArray(),
                  job,
                  introduction.getTaskKey().toByteArray(),
                  wallMs.getAsLong())
              .owner();
      return new Admitted(owner, false);
    } catch (IOException e) {
      throw notAdmitted(job, e.getMessage());
    }
  }

  private Admitted byName(String job, Introduction introduction) throws RequestRefusedException {
    if (!words.contains(RESOURCEMANAGER) && words.contains(TOKEN)) {
      throw notAdmitted(
          job,
          "it has no delegation token of the metaserver, which the job's client gets when it is"
              + " submitted: set mapreduce.job.hdfs-servers, beside what it names already, to the"
              + " sailfish:// address that 'bin/sailfish env' prints, and have the client jar on"
              + " the class path of the client");
    }
    if (!words.contains(RESOURCEMANAGER)) {
      throw notAdmitted(
          job,
          "that an application has its name is not enough here ("
              + MetaserverKey.ADMISSION.name()
              + " has no 'resourcemanager')");
    }
    if (applications.isEmpty()) {
      throw notAdmitted(
          job,
          "this metaserver cannot ask whether an application has its name: set "
              + MetaserverKey.RESOURCEMANAGER.name());
    }
    return applications.get().admit(job, introduction);
  }

  /** The refusal of a job for which nothing speaks. */
  public static RequestRefusedException notAdmitted(String job, String why) {
    return new RequestRefusedException(
        Status.NOT_ADMITTED,
        ("job=%s is not admitted: %s; a program outside YARN brings a ticket, which"
                + " 'bin/sailfish ticket' makes")
            .formatted(job, why));
  }
}
