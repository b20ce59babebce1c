package dev.sailfish.ground.wire.kerberos;

import java.io.IOException;
import org.ietf.jgss.ChannelBinding;
import org.ietf.jgss.GSSContext;
import org.ietf.jgss.GSSCredential;
import org.ietf.jgss.GSSException;
import org.ietf.jgss.GSSManager;
import org.ietf.jgss.MessageProp;
import org.ietf.jgss.Oid;

/**
 * One side of what a Kerberos user and a server say to each other on one connection: first tokens
 * in turns until each has proved who it is, then messages that nobody else can read or change.
 *
 * <p>Tokens are those of the GSS-API's Kerberos mechanism (RFC 4121), without negotiating another
 * one. Both sides bind them to the <em>session</em>, random bytes of both of them for one
 * connection, so that a token that was recorded is refused everywhere else, also by another server
 * with the same key. Mutual authentication and confidentiality are insisted on; credentials are not
 * delegated. For one thread at a time; nothing here waits but {@link #next} of a client, for the
 * KDC, as long as krb5.conf lets it.
 */
public final class GssSession {
  /** The longest token that either side takes, in bytes; with its frame it fits a header. */
  public static final int MAX_TOKEN_LENGTH = 60_000;

  /** The most tokens that either side takes; Kerberos needs one. */
  public static final int MAX_ROUNDS = 4;

  /** Longest message that {@link #seal} takes, in bytes. */
  public static final int MAX_MESSAGE_LENGTH = 16_384;

  /** Kerberos as a mechanism of the GSS-API. */
  public static final String MECHANISM = "1.2.840.113554.1.2.2";

  private static final String PRINCIPAL_NAME = "1.2.840.113554.1.2.2.1";

  private final GSSContext context;
  private final boolean initiator;
  private int rounds;

  private GssSession(GSSContext context, boolean initiator, byte[] session) throws GSSException {
    this.context = context;
    this.initiator = initiator;
    context.setChannelBinding(new ChannelBinding(session.clone()));
  }

  /**
   * The user's side. The user is the Subject of the calling thread, also at each {@link #next}.
   *
   * @param server principal that the server must prove to be, {@code service/host@REALM}; without a
   *     realm, that of krb5.conf
   * @param session random bytes of both sides
   */
  public static GssSession initiate(String server, byte[] session) throws IOException {
    try {
      GSSManager manager = GSSManager.getInstance();
      GSSContext context =
          manager.createContext(
              manager.createName(server, new Oid(PRINCIPAL_NAME)),
              new Oid(MECHANISM),
              null,
              GSSContext.DEFAULT_LIFETIME);
      context.requestMutualAuth(true);
      context.requestConf(true);
      context.requestInteg(true);
      context.requestReplayDet(true);
      context.requestSequenceDet(true);
      context.requestCredDeleg(false);
      return new GssSession(context, true, session);
    } catch (GSSException e) {
      throw new IOException("Kerberos: cannot begin with server=" + server + ": " + text(e), e);
    }
  }

  /**
   * The server's side.
   *
   * @param credential with the server's key
   * @param session random bytes of both sides
   */
  public static GssSession accept(GSSCredential credential, byte[] session) throws IOException {
    try {
      return new GssSession(GSSManager.getInstance().createContext(credential), false, session);
    } catch (GSSException e) {
      throw new IOException("Kerberos: cannot begin as a server: " + text(e), e);
    }
  }

  /**
   * Takes the other side's token and makes the next one.
   *
   * @param token empty at the client's first call
   * @return the token for the other side; empty when there is nothing left to say
   * @throws IOException with one sentence when the token is refused, or there is no ticket
   */
  public byte[] next(byte[] token) throws IOException {
    if (token.length > MAX_TOKEN_LENGTH) {
      throw new IOException(
          "Kerberos: token is too long: bytes=" + token.length + " limit=" + MAX_TOKEN_LENGTH);
    }
    if (context.isEstablished() || rounds == MAX_ROUNDS) {
      throw new IOException("Kerberos: a token more than there may be: rounds=" + rounds);
    }
    rounds++;
    try {
      byte[] next =
          initiator
              ? context.initSecContext(token, 0, token.length)
              : context.acceptSecContext(token, 0, token.length);
      if (context.isEstablished()) {
        requireProtection();
      }
      return next == null ? new byte[0] : next;
    } catch (GSSException e) {
      throw new IOException("Kerberos: " + text(e), e);
    } catch (RuntimeException e) {
      // The JDK's decoder of tokens lets some of its exceptions out.
      throw new IOException("Kerberos: token cannot be read: " + e, e);
    }
  }

  private void requireProtection() throws IOException {
    if (!context.getMutualAuthState() || !context.getConfState() || !context.getIntegState()) {
      throw new IOException(
          "Kerberos: both sides must prove who they are and agree to encrypt: mutual="
              + context.getMutualAuthState()
              + " encrypted="
              + context.getConfState());
    }
  }

  /** Whether both sides have proved who they are. */
  public boolean isDone() {
    return context.isEstablished();
  }

  /**
   * The user's principal, with its realm.
   *
   * @throws IOException when the user wants to stay unknown
   */
  public String user() throws IOException {
    requireDone();
    try {
      if (context.getAnonymityState()) {
        throw new IOException("Kerberos: the user stays anonymous");
      }
      return context.getSrcName().toString();
    } catch (GSSException e) {
      throw new IOException("Kerberos: user has no name: " + text(e), e);
    }
  }

  private void requireDone() {
    if (!isDone()) {
      throw new IllegalStateException("the sides do not know each other yet: rounds=" + rounds);
    }
  }

  /**
   * Encrypts and signs a message for the other side.
   *
   * @throws IOException when the ticket has expired, or the message is too long
   */
  public byte[] seal(byte[] message) throws IOException {
    requireDone();
    if (message.length > MAX_MESSAGE_LENGTH) {
      throw new IOException(
          "Kerberos: message is too long: bytes="
              + message.length
              + " limit="
              + MAX_MESSAGE_LENGTH);
    }
    try {
      return context.wrap(message, 0, message.length, new MessageProp(true));
    } catch (GSSException e) {
      throw new IOException("Kerberos: message cannot be encrypted: " + text(e), e);
    }
  }

  /**
   * Opens what the other side has sealed on this connection; each message once and in order.
   *
   * @throws IOException when it is anything else
   */
  public byte[] open(byte[] sealed) throws IOException {
    requireDone();
    MessageProp properties = new MessageProp(true);
    byte[] message;
    try {
      message = context.unwrap(sealed, 0, sealed.length, properties);
    } catch (GSSException e) {
      throw new IOException("Kerberos: message cannot be decrypted: " + text(e), e);
    } catch (RuntimeException e) {
      throw new IOException("Kerberos: message cannot be read: " + e, e);
    }
    boolean repeated =
        properties.isDuplicateToken()
            || properties.isOldToken()
            || properties.isUnseqToken()
            || properties.isGapToken();
    if (!properties.getPrivacy() || repeated) {
      throw new IOException(
          "Kerberos: message came in clear, twice or out of order: encrypted="
              + properties.getPrivacy());
    }
    return message;
  }

  /** Forgets the keys of the session; never throws. */
  public void close() {
    try {
      context.dispose();
    } catch (GSSException e) {
      // Nothing is kept outside this process's memory, and that goes with this object.
      rounds = MAX_ROUNDS;
    }
  }

  private static String text(GSSException e) {
    Throwable cause = e.getCause();
    String text = e.getMessage();
    while (cause != null) {
      String message = cause.getMessage();
      if (message != null && !text.contains(message)) {
        text = text + ": " + message;
      }
      cause = cause.getCause();
    }
    return text;
  }
}
