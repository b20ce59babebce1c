package dev.sailfish.ground.wire.secret;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;

/**
 * A file with something that only its owner may know. White space at its end does not count, so
 * that it may end with a line's end.
 */
public final class SecretFile {
  /** The least length, in bytes: what is shorter can be guessed. */
  public static final int MIN_LENGTH = 16;

  /** The largest length, in bytes; a longer file is something else. */
  public static final int MAX_LENGTH = 4096;

  static final Set<PosixFilePermission> OWNER =
      EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);

  private SecretFile() {}

  /**
   * Reads the file.
   *
   * @param what the secret is, for messages
   * @param named how the user said which file: a key or an option, for messages
   * @throws IOException when the file is missing, empty, too short or too long, or when anybody but
   *     its owner may do anything with it; never with any of its content
   */
  public static byte[] read(String what, String named, Path file) throws IOException {
    String unusable = what + " cannot be used: " + named + "=" + file;
    if (!Files.isRegularFile(file)) {
      throw new IOException(
          unusable
              + " is no file: make one with mode 0600, for instance with"
              + " 'openssl rand -hex 32'");
    }
    Set<PosixFilePermission> mode = EnumSet.noneOf(PosixFilePermission.class);
    mode.addAll(Files.getPosixFilePermissions(file));
    mode.remove(PosixFilePermission.OWNER_EXECUTE);
    if (!OWNER.containsAll(mode)) {
      throw new IOException(
          unusable
              + " has mode="
              + PosixFilePermissions.toString(mode)
              + ", so that others than its owner get at it: chmod 600");
    }
    long size = Files.size(file);
    if (size > MAX_LENGTH) {
      throw new IOException(unusable + " is too long: bytes=" + size + " limit=" + MAX_LENGTH);
    }
    byte[] secret = stripped(Files.readAllBytes(file));
    if (secret.length < MIN_LENGTH) {
      throw new IOException(
          unusable + " is too short: bytes=" + secret.length + " least=" + MIN_LENGTH);
    }
    return secret;
  }

  private static byte[] stripped(byte[] bytes) {
    int length = bytes.length;
    while (length > 0 && Character.isWhitespace(bytes[length - 1])) {
      length--;
    }
    return Arrays.copyOf(bytes, length);
  }
}
