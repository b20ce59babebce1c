package dev.sailfish.lineage.client.block;

import dev.sailfish.ground.wire.PayloadReply;
import dev.sailfish.lineage.protocol.BlockTail;
import dev.sailfish.lineage.protocol.FileChecksum;
import dev.sailfish.lineage.protocol.WorkerService;
import dev.sailfish.lineage.protocol.wire.AbandonBlockRequest;
import dev.sailfish.lineage.protocol.wire.BlockName;
import dev.sailfish.lineage.protocol.wire.ClaimRoomRequest;
import dev.sailfish.lineage.protocol.wire.SealBlockRequest;
import dev.sailfish.lineage.protocol.wire.SealBlockResponse;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/**
 * Writes a block into the worker's file, on the same host: the bytes do not pass through the
 * worker. It is asked for room ahead, for which it makes pages, and answers while the writer goes
 * on; where it has not so much, for what is needed.
 */
final class LocalBlockWriter implements BlockWriter {
  /** In the processor's cache still when they are written. */
  private static final int AT_ONCE = 16 * BlockTail.UNIT;

  /** Bytes of an array are copied once more on their way to the channel. */
  private static final int AT_ONCE_OF_ARRAY = 4 * BlockTail.UNIT;

  /** So much more room is asked for when half of it is left: some milliseconds of writing. */
  private static final long AHEAD = 16 << 20;

  private final WorkerCall worker;
  private final BlockName name;
  private final long capacity;
  private final FileChecksum sum;
  private final FileChannel file;
  private int[] checksums = new int[16];
  private long length;
  private long room;
  private long claimed; // the room that the worker has been asked for
  private PayloadReply claim; // outstanding, or null
  private boolean isTight; // more than what was needed was refused: it is not asked for again
  private boolean ended;

  /**
   * @param worker closed with this object
   * @param path of the file that the worker has made
   * @param room for how many bytes there is room
   * @param sum of the file, gets the block's
   */
  LocalBlockWriter(
      WorkerCall worker, BlockName name, Path path, long capacity, long room, FileChecksum sum)
      throws IOException {
    this.sum = sum;
    this.worker = worker;
    this.name = name;
    this.capacity = capacity;
    this.room = room;
    this.claimed = room;
    this.file = FileChannel.open(path, StandardOpenOption.WRITE);
  }

  @Override
  public void write(ByteBuffer bytes) throws IOException {
    long end = length + bytes.remaining();
    if (end > room) {
      awaitRoom(end);
    } else if (claim == null && wantsMore(end)) {
      claim(room + AHEAD);
    }
    int limit = bytes.limit();
    int atOnce = bytes.isDirect() ? AT_ONCE : AT_ONCE_OF_ARRAY;
    while (bytes.position() < limit) {
      bytes.limit(Math.min(limit, bytes.position() + atOnce));
      sum(bytes);
      while (bytes.hasRemaining()) {
        length += file.write(bytes, length);
      }
      bytes.limit(limit);
    }
  }

  /** Who has less room than that at first knows how much he writes. */
  private boolean wantsMore(long end) {
    return !isTight && room >= AHEAD && room < capacity && end > room - AHEAD / 2;
  }

  private void awaitRoom(long needed) throws IOException {
    while (room < needed) {
      if (claim == null) {
        claim(isTight ? needed : Math.max(needed, room + AHEAD));
      }
      while (!claim.ended()) {
        worker.connection().poll();
      }
      IOException refusal = claim.error();
      claim = null;
      boolean isTooMuch = refusal != null && claimed > needed;
      if (isTooMuch) {
        isTight = true;
        claim(needed); // there may be room for what is needed now
      } else if (refusal != null) {
        throw refusal;
      } else {
        room = claimed;
      }
    }
  }

  private void claim(long wanted) throws IOException {
    claimed = Math.min(capacity, wanted);
    claim = new PayloadReply(0);
    worker
        .connection()
        .send(
            WorkerService.CLAIM,
            ClaimRoomRequest.newBuilder().setName(name).setRoom(claimed).build(),
            claim);
  }

  /** The connection is somebody else's after this block. */
  private void awaitClaim() throws IOException {
    while (claim != null && !claim.ended()) {
      worker.connection().poll();
    }
    claim = null;
  }

  private void sum(ByteBuffer bytes) {
    int[] sums = BlockTail.checksums(bytes);
    sum.add(sums);
    int first = BlockTail.units(length);
    if (first + sums.length > checksums.length) {
      checksums = Arrays.copyOf(checksums, Math.max(first + sums.length, 2 * checksums.length));
    }
    System.arraycopy(sums, 0, checksums, first, sums.length);
  }

  @Override
  public int seal() throws IOException {
    ByteBuffer tail = new BlockTail(name.getFid(), name.getBlock(), length, checksums).encode();
    long at = length;
    while (tail.hasRemaining()) {
      at += file.write(tail, at);
    }
    file.close();
    SealBlockResponse sealed =
        worker.ask(
            WorkerService.SEAL,
            SealBlockRequest.newBuilder().setName(name).setLength(length).build(),
            SealBlockResponse.parser());
    ended = true;
    awaitClaim(); // after it: the worker waits no longer for room that nobody needs
    return sealed.getPlace();
  }

  @Override
  public void close() {
    try (worker) {
      file.close();
      if (!ended) {
        ended = true;
        worker.ask(
            WorkerService.ABANDON, AbandonBlockRequest.newBuilder().setName(name).build(), null);
        awaitClaim();
      }
    } catch (IOException e) {
      ended = true; // the worker drops the block with the file
    }
  }
}
