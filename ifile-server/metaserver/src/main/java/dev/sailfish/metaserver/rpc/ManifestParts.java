package dev.sailfish.metaserver.rpc;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import dev.sailfish.protocol.wire.CommitManifestRequest;
import dev.sailfish.protocol.wire.PartitionManifest;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Counts the parts of a manifest without decoding it: partitions, lists of blocks, and all else
 * that becomes an object. A part takes two bytes at least, and up to a hundred as an object.
 */
final class ManifestParts {
  /** Of two parts that go together, a list of blocks and its numbers: 15 bytes at least. */
  static final int FEWEST_BYTES = 7;

  /** At each depth the field with parts in it that are counted too. */
  private static final int[] INNER = {
    CommitManifestRequest.PARTITIONS_FIELD_NUMBER, PartitionManifest.BLOCKS_FIELD_NUMBER
  };

  private int count;

  private ManifestParts() {}

  /** How many the request has; of one that is damaged, those before the damage. */
  static int count(ByteBuffer header) {
    ManifestParts parts = new ManifestParts();
    try {
      parts.look(CodedInputStream.newInstance(header.duplicate()), 0);
    } catch (IOException e) {
      return parts.count; // the decoder gets as far, and says why
    }
    return parts.count;
  }

  private void look(CodedInputStream in, int depth) throws IOException {
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      int type = WireFormat.getTagWireType(tag);
      boolean delimited = type == WireFormat.WIRETYPE_LENGTH_DELIMITED;
      boolean begins = type == WireFormat.WIRETYPE_START_GROUP;
      if (delimited || begins) {
        count++;
      }
      if (delimited && depth < INNER.length && WireFormat.getTagFieldNumber(tag) == INNER[depth]) {
        int outer = in.pushLimit(in.readRawVarint32());
        look(in, depth + 1);
        in.popLimit(outer);
      } else if (!begins && type != WireFormat.WIRETYPE_END_GROUP) {
        in.skipField(tag);
      }
    }
  }
}
