package dev.sailfish.ground.server.daemon;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.regex.Pattern;

/** The id of a daemon: drawn at its first start, then kept in a file beside what it holds. */
public final class DaemonIdentity {
  private static final String FILE = "-id";
  private static final int RANDOM_BYTES = 6;

  /** Mode of the directories that a daemon makes: what is in them is nobody else's business. */
  public static final FileAttribute<?> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  private static final Pattern ID = Pattern.compile("[0-9a-f]{" + 2 * RANDOM_BYTES + "}");

  private DaemonIdentity() {}

  /**
   * The id kept in {@code directory}; a new one when there is none.
   *
   * @param daemon what it is called, for the file's name
   * @return 12 hexadecimal digits
   * @throws IOException when the file cannot be read or written, or holds something else
   */
  public static String of(Path directory, String daemon) throws IOException {
    Files.createDirectories(directory, OWNER_ONLY);
    Path file = directory.resolve(daemon + FILE);
    if (Files.exists(file)) {
      String id = Files.readString(file, StandardCharsets.US_ASCII).strip();
      if (!ID.matcher(id).matches()) {
        throw new IOException("file=" + file + " holds no id of a daemon: content='" + id + "'");
      }
      return id;
    }
    byte[] random = new byte[RANDOM_BYTES];
    new SecureRandom().nextBytes(random);
    String id = HexFormat.of().formatHex(random);
    Path written = Files.writeString(directory.resolve(daemon + FILE + ".new"), id + "\n");
    Files.move(written, file, StandardCopyOption.ATOMIC_MOVE);
    return id;
  }

  /** Forgets the id, when nothing else is kept in {@code directory} either. */
  public static void forget(Path directory, String daemon) throws IOException {
    Files.deleteIfExists(directory.resolve(daemon + FILE));
  }
}
