package dev.sailfish.codec;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.zip.Adler32;

/** The lzop program, and as much of its container as is needed to talk to it. */
final class Lzop {
  private static final byte[] MAGIC = {(byte) 0x89, 'L', 'Z', 'O', 0, '\r', '\n', 0x1a, '\n'};
  private static final int FLAG_RAW_ADLER = 0x1;
  private static final int FLAG_STORED_ADLER = 0x2;
  private static final int FLAG_RAW_CRC = 0x100;
  private static final int FLAG_STORED_CRC = 0x200;
  private static final int DEADLINE_SECONDS = 60;

  private final Path directory;

  /** One block of the container. */
  record Block(byte[] stored, int rawLength) {}

  Lzop(Path directory) {
    this.directory = directory;
  }

  /** Whether the program can be run on this machine. */
  static boolean installed() {
    for (String directory : System.getenv("PATH").split(":")) {
      if (Files.isExecutable(Path.of(directory, "lzop"))) {
        return true;
      }
    }
    return false;
  }

  /** What {@code lzop -d} makes of a container with one block. */
  byte[] decompress(Block block) throws IOException, InterruptedException {
    return run(container(block), "lzop", "-dc");
  }

  /** The first block that {@code lzop} makes of {@code raw}. */
  Block compress(byte[] raw, String level) throws IOException, InterruptedException {
    return firstBlock(run(raw, "lzop", "-c", level));
  }

  private byte[] run(byte[] input, String... command) throws IOException, InterruptedException {
    Path in = Files.write(directory.resolve("in"), input);
    Path out = directory.resolve("out");
    Path errors = directory.resolve("errors");
    Process process =
        new ProcessBuilder(command)
            .redirectInput(in.toFile())
            .redirectOutput(out.toFile())
            .redirectError(errors.toFile())
            .start();
    assertThat(process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(Files.readString(errors)).isZero();
    return Files.readAllBytes(out);
  }

  private static byte[] container(Block block) throws IOException {
    ByteArrayOutputStream header = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(header);
    out.writeShort(0x1030); // version of lzop
    out.writeShort(0x2080); // version of the library
    out.writeShort(0x0940); // version that is needed to extract
    out.writeByte(1); // LZO1X-1
    out.writeByte(5); // level
    out.writeInt(0); // flags: no checksums
    out.writeInt(0100644); // mode
    out.writeLong(0); // time
    out.writeByte(0); // length of the name
    Adler32 checksum = new Adler32();
    checksum.update(header.toByteArray());
    ByteArrayOutputStream container = new ByteArrayOutputStream();
    out = new DataOutputStream(container);
    out.write(MAGIC);
    out.write(header.toByteArray());
    out.writeInt((int) checksum.getValue());
    out.writeInt(block.rawLength());
    out.writeInt(block.stored().length);
    out.write(block.stored());
    out.writeInt(0);
    return container.toByteArray();
  }

  private static Block firstBlock(byte[] container) {
    ByteBuffer in = ByteBuffer.wrap(container);
    in.position(MAGIC.length + 8);
    int flags = in.getInt();
    in.position(in.position() + 12);
    int nameLength = in.get();
    in.position(in.position() + nameLength + Integer.BYTES);
    int rawLength = in.getInt();
    byte[] stored = new byte[in.getInt()];
    boolean compressed = stored.length < rawLength;
    skipIf(in, (flags & FLAG_RAW_ADLER) != 0);
    skipIf(in, (flags & FLAG_RAW_CRC) != 0);
    skipIf(in, compressed && (flags & FLAG_STORED_ADLER) != 0);
    skipIf(in, compressed && (flags & FLAG_STORED_CRC) != 0);
    in.get(stored);
    return new Block(stored, rawLength);
  }

  private static void skipIf(ByteBuffer in, boolean present) {
    if (present) {
      in.position(in.position() + Integer.BYTES);
    }
  }
}
