package dev.sailfish.ground.wire;

import com.google.protobuf.ByteString;
import dev.sailfish.ground.wire.introduction.IntroductionBox;
import dev.sailfish.ground.wire.introduction.JobTicket;
import dev.sailfish.ground.wire.message.AuthenticateRequest;
import dev.sailfish.ground.wire.message.Introduction;

/** Makes the box that introduces a job; loaded only where that has to be done. */
final class Introducer {
  private final IntroductionBox box;

  private Introducer(IntroductionBox box) {
    this.box = box;
  }

  /**
   * Makes a box for one connection.
   *
   * @param job the job's name
   * @param namesKey whether its tasks name the id of their key in HELLO
   * @param evidence null: the job is an application
   * @throws RemoteException UNAUTHENTICATED when the server's key is none, or the evidence is none
   */
  static Introducer of(
      String serverKey,
      String job,
      String principal,
      byte[] taskKey,
      boolean namesKey,
      Evidence evidence,
      byte[] session)
      throws RemoteException {
    Introduction.Builder introduction =
        Introduction.newBuilder().setTaskKey(ByteString.copyFrom(taskKey)).setNamesKey(namesKey);
    try {
      if (evidence != null) {
        evidence.addTo(job, introduction);
      }
      return new Introducer(
          IntroductionBox.seal(serverKey, principal, session, introduction.build()));
    } catch (IllegalArgumentException e) {
      throw new RemoteException(
          Status.UNAUTHENTICATED,
          ("job=%s cannot be introduced to the metaserver, check its public key (%s) and the"
                  + " job's ticket: %s")
              .formatted(job, Credentials.SERVER_KEY, e.getMessage()));
    }
  }

  AuthenticateRequest request() {
    return AuthenticateRequest.newBuilder()
        .setEphemeralKey(ByteString.copyFrom(box.ephemeralKey()))
        .setBox(ByteString.copyFrom(box.bytes()))
        .build();
  }

  /** With what the server's answer is sealed. */
  byte[] key() {
    return box.key();
  }

  /** A ticket as evidence. */
  record OfTicket(String text) implements Evidence {
    @Override
    public void addTo(String job, Introduction.Builder introduction) {
      introduction.setTicket(JobTicket.parse(text));
    }

    @Override
    public String toString() {
      return "a ticket";
    }
  }
}
