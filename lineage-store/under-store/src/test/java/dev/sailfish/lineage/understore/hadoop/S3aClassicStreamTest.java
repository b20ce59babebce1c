package dev.sailfish.lineage.understore.hadoop;

import java.io.IOException;
import java.util.Map;

/** The same with the input stream that S3A had before. */
class S3aClassicStreamTest extends S3aUnderStoreTest {
  S3aClassicStreamTest() throws IOException {}

  @Override
  Map<String, String> properties() {
    return Map.of("input.stream.type", "classic");
  }
}
