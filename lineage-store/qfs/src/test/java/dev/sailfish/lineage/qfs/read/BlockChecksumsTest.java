package dev.sailfish.lineage.qfs.read;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.lineage.qfs.wire.Clock;
import dev.sailfish.lineage.qfs.wire.ConnectionSettings;
import dev.sailfish.lineage.qfs.wire.Connections;
import dev.sailfish.lineage.qfs.wire.Reply;
import dev.sailfish.lineage.qfs.wire.Request;
import dev.sailfish.lineage.qfs.wire.ScriptedServer;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.zip.Adler32;
import org.junit.jupiter.api.Test;

@Seeded
class BlockChecksumsTest {
  private static final int BLOCK = 65536;

  private static Reply reply(String... headers) throws IOException {
    try (ScriptedServer server = new ScriptedServer(asked -> asked.ok(headers));
        Connections connections = new Connections(ConnectionSettings.DEFAULTS, Clock.SYSTEM)) {
      return connections.take(server.address()).call(Request.of("READ"));
    }
  }

  private static String sums(byte[] bytes, int first) {
    StringBuilder sums = new StringBuilder("Checksums: ");
    int length;
    for (int from = 0; from < bytes.length; from += length) {
      length = Math.min(from == 0 ? first : BLOCK, bytes.length - from);
      Adler32 adler = new Adler32();
      adler.update(bytes, from, length);
      sums.append(' ').append(adler.getValue());
    }
    return sums.toString();
  }

  @Test
  void countFromTheChunksBeginWhenTheyAreTheDisks(SplittableRandom random) throws IOException {
    byte[] bytes = TestBytes.random(random, 3 * BLOCK - 1234);
    int offset = random.nextInt(1, BLOCK) + 5 * BLOCK;
    String disk = sums(bytes, BLOCK - offset % BLOCK);
    BlockChecksums.check(reply(disk, "Skip-Disk-Chksum: 1"), offset, ByteBuffer.wrap(bytes));
    Reply other = reply(disk);
    assertThatThrownBy(() -> BlockChecksums.check(other, offset, ByteBuffer.wrap(bytes)))
        .hasMessageContaining("checksum of block 0 at " + offset);
  }

  @Test
  void countFromTheFirstByteOtherwise(SplittableRandom random) throws IOException {
    byte[] bytes = TestBytes.random(random, 2 * BLOCK + random.nextInt(1, BLOCK));
    Reply reply = reply(sums(bytes, BLOCK));
    BlockChecksums.check(reply, 777, ByteBuffer.wrap(bytes));
    int at = random.nextInt(bytes.length);
    bytes[at] ^= 1;
    assertThatThrownBy(() -> BlockChecksums.check(reply, 777, ByteBuffer.wrap(bytes)))
        .hasMessageContaining(
            "checksum of block " + at / BLOCK + " at " + (777 + at / BLOCK * BLOCK));
  }

  @Test
  void haveToBeThere() throws IOException {
    Reply none = reply();
    assertThatThrownBy(() -> BlockChecksums.check(none, 0, ByteBuffer.wrap(new byte[1])))
        .hasMessageContaining("computed=");
    BlockChecksums.check(none, 0, ByteBuffer.allocate(0));
  }
}
