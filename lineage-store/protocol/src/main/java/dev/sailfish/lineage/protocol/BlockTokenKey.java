package dev.sailfish.lineage.protocol;

import dev.sailfish.ground.wire.secret.HmacSha256;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Makes and checks block tokens. It follows from the cluster secret, so that every master and every
 * worker has it and nothing has to be told or journaled. Each six hours have a key of their own:
 *
 * <pre>
 *   base   = HMAC-SHA256(cluster secret, "sailfish block token key")
 *   key id = first 4 bytes of HMAC-SHA256(base, "sailfish block token key id")
 *   key    = HMAC-SHA256(base, "sailfish block token window" | expiry / 6 h as 8 bytes)
 * </pre>
 *
 * <p>Thread-safe; never shows its keys.
 */
public final class BlockTokenKey {
  private static final long WINDOW_MS = 6 * 3_600_000L;
  private static final int MOST_WINDOWS = 16;

  private final byte[] base;
  private final int id;
  private final Map<Long, byte[]> windows = new ConcurrentHashMap<>();

  /** The key of the cluster with this secret. */
  public BlockTokenKey(byte[] clusterSecret) {
    base = HmacSha256.of(clusterSecret, ascii("sailfish block token key"));
    id = ByteBuffer.wrap(HmacSha256.of(base, ascii("sailfish block token key id"))).getInt();
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private byte[] window(long expiresMs) {
    if (windows.size() > MOST_WINDOWS) {
      windows.clear(); // made-up tokens may be of any time
    }
    return windows.computeIfAbsent(
        Math.floorDiv(expiresMs, WINDOW_MS),
        window ->
            HmacSha256.of(
                base,
                ascii("sailfish block token window"),
                ByteBuffer.allocate(Long.BYTES).putLong(window).array()));
  }

  /** The bytes of a token. */
  public byte[] seal(BlockToken token) {
    byte[] content = token.encode(id);
    byte[] mac = HmacSha256.of(window(token.expiresMs()), content);
    return ByteBuffer.allocate(content.length + mac.length).put(content).put(mac).array();
  }

  /**
   * The token of bytes that a master of this cluster has made; whether it is for the caller, and
   * expired, is not asked.
   *
   * @param bytes of any content
   * @throws IOException with one sentence, when nobody who knows the secret has made them
   */
  public BlockToken open(byte[] bytes) throws IOException {
    int length = Math.max(0, bytes.length - HmacSha256.LENGTH);
    byte[] content = Arrays.copyOf(bytes, length);
    BlockToken token = BlockToken.decode(ByteBuffer.wrap(content));
    if (BlockToken.keyId(ByteBuffer.wrap(content)) != id) {
      throw new IOException(
          "the block token was made with another cluster's secret: is it the same on master and"
              + " worker?");
    }
    byte[] mac = Arrays.copyOfRange(bytes, length, bytes.length);
    if (!HmacSha256.same(mac, HmacSha256.of(window(token.expiresMs()), content))) {
      throw new IOException("the block token was changed or made up: its code is wrong");
    }
    return token;
  }
}
