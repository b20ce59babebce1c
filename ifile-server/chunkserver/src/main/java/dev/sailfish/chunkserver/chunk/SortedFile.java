package dev.sailfish.chunkserver.chunk;

import com.google.protobuf.MessageLite;
import dev.sailfish.blockstore.Segment;
import dev.sailfish.ground.server.Request;
import dev.sailfish.ground.wire.Status;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;

/**
 * The bytes of a SORTED chunk, for one reader; they may be those of others, too.
 *
 * @param segment with a reference for the reader, which {@link Segment#release} gives back
 * @param length of the chunk's file
 * @param tailOffset where the tail begins
 * @param first the chunk that stands for all in the file; itself if it is alone
 */
public record SortedFile(Segment segment, long length, long tailOffset, long first) {
  /** Answers a request with some of the bytes and gives the reference back once they are sent. */
  public void send(Request request, MessageLite header, long offset, long count) {
    FileChannel file;
    try {
      file = segment.channel();
    } catch (UncheckedIOException e) {
      segment.release();
      request.fail(Status.INTERNAL, "segment=" + segment.name() + " cannot be opened: " + e);
      return;
    }
    request.replyFile(header, file, offset, count, segment::release);
  }
}
