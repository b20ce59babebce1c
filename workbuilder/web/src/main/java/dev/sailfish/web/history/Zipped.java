package dev.sailfish.web.history;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/** Texts as they are kept: most of a job's JSON is the same words again and again. */
final class Zipped {
  private Zipped() {}

  /** The bytes of a text. */
  static byte[] of(String text) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream zip = new GZIPOutputStream(bytes)) {
      zip.write(text.getBytes(StandardCharsets.UTF_8));
    }
    return bytes.toByteArray();
  }

  /** The text of such bytes. */
  static String text(byte[] bytes) throws IOException {
    try (GZIPInputStream zip = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
      return new String(zip.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
