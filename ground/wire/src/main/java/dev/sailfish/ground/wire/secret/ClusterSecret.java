package dev.sailfish.ground.wire.secret;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;

/** The secret that the daemons and commands of one cluster share, in a {@link SecretFile}. */
public final class ClusterSecret {
  private static final int NEW_LENGTH = 32;

  private ClusterSecret() {}

  /**
   * Reads the secret.
   *
   * @param named how the user said which file: a key or an option, for messages
   * @throws IOException when the file cannot be used, as {@link SecretFile#read} says
   */
  public static byte[] read(String named, Path file) throws IOException {
    return SecretFile.read("cluster secret", named, file);
  }

  /** Writes a new random secret to a file that is not there yet, with mode 0600. */
  public static void create(Path file) throws IOException {
    byte[] random = new byte[NEW_LENGTH];
    new SecureRandom().nextBytes(random);
    String line = HexFormat.of().formatHex(random) + "\n";
    Files.createFile(file, PosixFilePermissions.asFileAttribute(SecretFile.OWNER));
    Files.write(file, line.getBytes(StandardCharsets.US_ASCII));
  }
}
