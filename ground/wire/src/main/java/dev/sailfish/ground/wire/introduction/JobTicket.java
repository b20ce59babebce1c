package dev.sailfish.ground.wire.introduction;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.sailfish.ground.wire.message.Ticket;
import dev.sailfish.ground.wire.secret.HmacSha256;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * What admits one job that YARN knows nothing of, and may be used by who has it: made from the
 * cluster secret for a job's name, a user and a time.
 */
public final class JobTicket {
  private static final byte[] LABEL = "sailfish ticket key".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] BETWEEN = {0};

  private JobTicket() {}

  /**
   * Makes a ticket.
   *
   * @param job the job's name
   * @param user to whom the job counts
   * @param expiryMs milliseconds since 1970 until when the job may be admitted
   */
  public static Ticket of(byte[] clusterSecret, String job, String user, long expiryMs) {
    return Ticket.newBuilder()
        .setUser(user)
        .setExpiryMs(expiryMs)
        .setMac(ByteString.copyFrom(mac(clusterSecret, job, user, expiryMs)))
        .build();
  }

  /**
   * Whether a ticket was made with this secret for this job; whether it is expired is not asked.
   */
  public static boolean isGenuine(byte[] clusterSecret, String job, Ticket ticket) {
    byte[] mac = mac(clusterSecret, job, ticket.getUser(), ticket.getExpiryMs());
    return HmacSha256.same(mac, ticket.getMac().toByteArray());
  }

  private static byte[] mac(byte[] clusterSecret, String job, String user, long expiryMs) {
    return HmacSha256.of(
        HmacSha256.of(clusterSecret, LABEL),
        job.getBytes(StandardCharsets.UTF_8),
        BETWEEN,
        user.getBytes(StandardCharsets.UTF_8),
        BETWEEN,
        Long.toUnsignedString(expiryMs).getBytes(StandardCharsets.US_ASCII));
  }

  /** A ticket as people hand it on. */
  public static String text(Ticket ticket) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(ticket.toByteArray());
  }

  /**
   * The ticket of a text.
   *
   * @throws IllegalArgumentException when it is none
   */
  public static Ticket parse(String text) {
    try {
      return Ticket.parseFrom(Base64.getUrlDecoder().decode(text.strip()));
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalArgumentException("text is no ticket: " + e.getMessage(), e);
    }
  }
}
