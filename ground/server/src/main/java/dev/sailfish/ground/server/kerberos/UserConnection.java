package dev.sailfish.ground.server.kerberos;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.sailfish.ground.server.Negotiation;
import dev.sailfish.ground.server.Principal;
import dev.sailfish.ground.server.Request;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.kerberos.GssSession;
import dev.sailfish.ground.wire.message.DelegationTokenWish;
import dev.sailfish.ground.wire.message.GetDelegationTokenRequest;
import dev.sailfish.ground.wire.message.GetDelegationTokenResponse;
import dev.sailfish.ground.wire.message.IssuedToken;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection of a user. Its fields belong to the thread of {@link KerberosUsers}, which does
 * one thing after the other.
 */
final class UserConnection implements Negotiation {
  private static final Logger LOG = LoggerFactory.getLogger(UserConnection.class);
  private static final String TOO_MANY =
      "too many users prove who they are at the same time: try again";

  private final KerberosUsers users;
  private GssSession gss;
  private String user;

  UserConnection(KerberosUsers users) {
    this.users = users;
  }

  @Override
  public void next(byte[] session, byte[] token, Step step) {
    if (!users.offer(() -> take(session, token, step))) {
      step.refused(Status.BUSY, TOO_MANY);
    }
  }

  private void take(byte[] session, byte[] token, Step step) {
    byte[] answer;
    try {
      if (gss == null) {
        gss = GssSession.accept(users.login().credential(), session);
      }
      answer = gss.next(token);
      if (gss.isDone()) {
        user = users.names().of(gss.user());
      }
    } catch (IOException e) {
      step.refused(
          Status.UNAUTHENTICATED,
          e.getMessage() + "; this " + users.server() + " is " + users.login().principal());
      return;
    } catch (RuntimeException e) {
      LOG.error("Kerberos: a user's token could not be looked at", e);
      step.refused(Status.INTERNAL, users.server() + " failed at a user's token: " + e);
      return;
    }
    if (user == null) {
      step.more(answer);
    } else {
      step.done(answer, Principal.ofUser(user, this::handle));
    }
  }

  /** Whatever the user asks for; there is only one thing. */
  private void handle(Request request) throws RequestRefusedException {
    byte[] sealed = request.header(GetDelegationTokenRequest.parser()).getSealed().toByteArray();
    if (!users.offer(() -> answer(request, sealed))) {
      throw new RequestRefusedException(Status.BUSY, TOO_MANY);
    }
  }

  private void answer(Request request, byte[] sealed) {
    try {
      DelegationTokenWish wish = DelegationTokenWish.parseFrom(gss.open(sealed));
      IssuedToken issued = users.issue(user, wish.getOwner(), wish.getRenewer());
      request.reply(
          GetDelegationTokenResponse.newBuilder()
              .setSealed(ByteString.copyFrom(gss.seal(issued.toByteArray())))
              .build());
    } catch (RequestRefusedException e) {
      request.fail(e.status(), e.getMessage());
    } catch (InvalidProtocolBufferException e) {
      request.fail(Status.BAD_REQUEST, "wish for a delegation token cannot be read: " + e);
    } catch (IOException e) {
      request.fail(Status.UNAUTHENTICATED, e.getMessage());
    } catch (RuntimeException e) {
      LOG.error("Kerberos: no delegation token for user={}", user, e);
      request.fail(Status.INTERNAL, users.server() + " failed at a delegation token: " + e);
    }
  }
}
