package dev.sailfish.lineage.client;

import com.google.protobuf.ByteString;
import dev.sailfish.ground.wire.Clock;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.lineage.protocol.LineageService;
import dev.sailfish.lineage.protocol.wire.ChangeResponse;
import dev.sailfish.lineage.protocol.wire.FileEntry;
import dev.sailfish.lineage.protocol.wire.FindProgramsRequest;
import dev.sailfish.lineage.protocol.wire.FindProgramsResponse;
import dev.sailfish.lineage.protocol.wire.PrepareProgram;
import dev.sailfish.lineage.protocol.wire.ProgramFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;

/**
 * Programs of lineage records: files of the store, once for each user and content, named by their
 * hashes. Thread-safe.
 */
final class StoredPrograms {
  /** One that is uploaded by several clients at once is that of the last one that began. */
  private static final int ATTEMPTS = 5;

  private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(300);

  /** In large pieces, as SHA-256 is slow in a JVM that has just started until it is compiled. */
  private static final int PIECE = 256 << 10;

  private final StoreClient client;
  private final NamespaceClient namespace;
  private final Clock clock;

  /**
   * @param clock tells when it is tried again
   */
  StoredPrograms(StoreClient client, Clock clock) {
    this.client = client;
    this.namespace = client.namespace();
    this.clock = clock;
  }

  /**
   * What a local file was when it was read.
   *
   * @param crc its CRC32C, by which it is seen whether it is the same when it is read again:
   *     hashing it once more costs more than writing it, and {@link #fetch} compares the hash
   */
  private record Content(ByteString hash, long length, long crc) {}

  /** See {@link Lineage#upload}. */
  ProgramFile upload(Path file) throws IOException {
    Content content = content(file);
    IOException last = null;
    boolean done = false;
    for (int attempt = 0; attempt < ATTEMPTS && !done; attempt++) {
      try {
        upload(file, content);
        done = true;
      } catch (IOException e) {
        if (isFull(e)) {
          throw e;
        }
        last = e; // another client may have uploaded the same meanwhile
        clock.pause(clock.nanoTime() + PAUSE_NS, "another upload of " + file.getFileName());
      }
    }
    if (!done) {
      throw last;
    }
    return ProgramFile.newBuilder()
        .setName(file.getFileName().toString())
        .setSha256(content.hash())
        .build();
  }

  /** Whether a worker has waited for room, and none came: another attempt would wait as long. */
  private static boolean isFull(IOException failure) {
    return isNoSpace(failure)
        || Arrays.stream(failure.getSuppressed()).anyMatch(StoredPrograms::isNoSpace);
  }

  private static boolean isNoSpace(Throwable failure) {
    return failure instanceof RemoteException refusal && refusal.status() == Status.NO_SPACE;
  }

  private Content content(Path file) throws IOException {
    long length = Files.size(file);
    if (length >= LineageService.LARGE_PROGRAM) {
      for (ByteString hash : stored(length)) {
        Content same = compared(file, length, hash);
        if (same != null) {
          return same;
        }
      }
    }
    return hashed(file);
  }

  private Content hashed(Path file) throws IOException {
    MessageDigest digest = sha256();
    Checksum crc = new CRC32C();
    long length =
        read(
            file,
            (bytes, count) -> {
              digest.update(bytes, 0, count);
              crc.update(bytes, 0, count);
            });
    return new Content(ByteString.copyFrom(digest.digest()), length, crc.getValue());
  }

  /** Hashes of the caller's programs of that length; none if the master is of before that. */
  private List<ByteString> stored(long length) throws IOException {
    FindProgramsRequest asked =
        FindProgramsRequest.newBuilder().setUser(namespace.user()).setLength(length).build();
    try {
      return namespace
          .call(LineageService.FIND_PROGRAMS, asked, FindProgramsResponse.parser())
          .getSha256List();
    } catch (RemoteException e) {
      if (e.status() == Status.BAD_REQUEST) {
        return List.of();
      }
      throw e;
    }
  }

  /**
   * Null unless the file has the very bytes of a stored program: then it has its hash. All bytes
   * are compared, so nothing is believed of names or times. One that is gone, or of which a block
   * is with no worker now, is like another one: nobody waits for it.
   */
  private Content compared(Path file, long length, ByteString hash) {
    Checksum crc = new CRC32C();
    byte[] bytes = new byte[PIECE];
    byte[] others = new byte[PIECE];
    try (InputStream in = Files.newInputStream(file);
        InputStream stored = client.openAtOnce(path(namespace.user().getName(), hash))) {
      int count;
      long read = 0;
      do {
        count = in.readNBytes(bytes, 0, PIECE);
        int of = stored.readNBytes(others, 0, PIECE);
        if (!Arrays.equals(bytes, 0, count, others, 0, of)) {
          return null;
        }
        crc.update(bytes, 0, count);
        read += count;
      } while (count == PIECE);
      return read == length ? new Content(hash, length, crc.getValue()) : null;
    } catch (IOException e) {
      return null; // it is hashed, which says what is wrong with the file, if that is it
    }
  }

  private interface Piece {
    void take(byte[] bytes, int count) throws IOException;
  }

  /** Reads a file piece by piece, and returns its length in bytes. */
  private static long read(Path file, Piece piece) throws IOException {
    byte[] bytes = new byte[PIECE];
    long length = 0;
    try (InputStream in = Files.newInputStream(file)) {
      for (int count = in.read(bytes); count >= 0; count = in.read(bytes)) {
        piece.take(bytes, count);
        length += count;
      }
    }
    return length;
  }

  private void upload(Path file, Content content) throws IOException {
    PrepareProgram asked =
        PrepareProgram.newBuilder().setSha256(content.hash()).setLength(content.length()).build();
    ChangeResponse prepared = client.prepare(asked);
    FileEntry there = prepared.getEntry();
    if (!there.getComplete()) {
      write(file, content, prepared);
      there = there.toBuilder().setLength(asked.getLength()).build();
    }
    client.copyOnce(there, prepared.getWorkersList());
  }

  private void write(Path file, Content content, ChangeResponse begun) throws IOException {
    Checksum written = new CRC32C();
    try (FileOutput out = client.output(begun, content.length())) {
      read(
          file,
          (bytes, count) -> {
            written.update(bytes, 0, count);
            if (out.position() + count <= content.length()) { // else it has grown, as is seen below
              out.write(bytes, 0, count);
            }
          });
      if (written.getValue() != content.crc()) {
        out.abandon();
        throw new IOException(file + " changed while it was uploaded: upload it again");
      }
    }
  }

  /** See {@link Lineage#fetch}. */
  void fetch(String owner, ProgramFile program, OutputStream to) throws IOException {
    MessageDigest digest = sha256();
    String path = path(owner, program.getSha256());
    try (InputStream in = new DigestInputStream(client.open(path), digest)) {
      in.transferTo(to);
    }
    if (!program.getSha256().equals(ByteString.copyFrom(digest.digest()))) {
      throw new IOException(path + " is not what its name says: delete it, and upload it again");
    }
  }

  private static String path(String owner, ByteString hash) {
    return "/.lineage/programs/" + owner + "/" + HexFormat.of().formatHex(hash.toByteArray());
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
