package dev.sailfish.lineage.understore.s3;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * The body of a request that Amazon's client signs or sums up piece by piece:
 *
 * <pre>
 *   length in hex [;signature] CRLF bytes CRLF ... 0 CRLF trailers
 * </pre>
 */
final class AwsChunks {
  private AwsChunks() {}

  static byte[] content(byte[] sent) {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    int at = 0;
    while (true) {
      int end = at;
      while (sent[end] != '\r') {
        end++;
      }
      String head = new String(sent, at, end - at, StandardCharsets.US_ASCII);
      int length = Integer.parseInt(head.split(";")[0], 16);
      if (length == 0) {
        return content.toByteArray();
      }
      content.write(sent, end + 2, length);
      at = end + 2 + length + 2;
    }
  }
}
