package dev.sailfish.lineage.qfs;

import dev.sailfish.ground.config.HostPort;
import dev.sailfish.lineage.qfs.meta.Owner;
import dev.sailfish.lineage.qfs.meta.RetrySettings;
import dev.sailfish.lineage.qfs.wire.ConnectionSettings;
import dev.sailfish.lineage.qfs.wire.TransferSettings;
import java.util.List;

/**
 * How a client uses a QFS. Immutable.
 *
 * <p>Authentication: none. The metaserver believes the numeric ids of the caller, as QFS does
 * without authentication. QFS can ask for more: Kerberos, X.509 certificates over TLS, and
 * pre-shared keys over TLS. Of these, Java's own library could do Kerberos tokens ({@code
 * org.ietf.jgss}) and certificates ({@code SSLEngine}); it has no TLS with pre-shared keys, which
 * QFS also uses between client and chunkserver after either of the others. A metaserver that asks
 * for any of them is refused with a message that names them.
 *
 * @param metaservers addresses of one metaserver, or of several of which one leads
 * @param owner as whom the client asks, and whose new files are
 * @param connection limits of each connection
 * @param retry how long failed work is tried again
 * @param transfer how chunks' bytes go over the wire
 */
public record QfsSettings(
    List<HostPort> metaservers,
    Owner owner,
    ConnectionSettings connection,
    RetrySettings retry,
    TransferSettings transfer) {
  /** Copies and checks. */
  public QfsSettings {
    metaservers = List.copyOf(metaservers);
    if (metaservers.isEmpty()) {
      throw new IllegalArgumentException("no address of a QFS metaserver");
    }
  }

  /** As QFS's super-user, with defaults. */
  public static QfsSettings of(HostPort... metaservers) {
    return new QfsSettings(
        List.of(metaservers),
        Owner.ROOT,
        ConnectionSettings.DEFAULTS,
        RetrySettings.DEFAULTS,
        TransferSettings.DEFAULTS);
  }

  /** The same as somebody else. */
  public QfsSettings withOwner(Owner other) {
    return new QfsSettings(metaservers, other, connection, retry, transfer);
  }

  /** The same with other limits of connections. */
  public QfsSettings withConnection(ConnectionSettings other) {
    return new QfsSettings(metaservers, owner, other, retry, transfer);
  }

  /** The same with other retries. */
  public QfsSettings withRetry(RetrySettings other) {
    return new QfsSettings(metaservers, owner, connection, other, transfer);
  }

  /** The same with other transfers. */
  public QfsSettings withTransfer(TransferSettings other) {
    return new QfsSettings(metaservers, owner, connection, retry, other);
  }
}
