package dev.sailfish.system.understore;

import dev.sailfish.lineage.understore.CopyTarget;
import dev.sailfish.lineage.understore.CopyWriter;
import dev.sailfish.lineage.understore.UnderPath;
import dev.sailfish.lineage.understore.UnderStore;
import dev.sailfish.lineage.understore.hadoop.HadoopMount;
import dev.sailfish.lineage.understore.mount.Mount;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Writes the beginning of a copy, and waits for its end. */
final class HdfsCopyHolder {
  private HdfsCopyHolder() {}

  public static void main(String[] arguments) throws IOException {
    try (HadoopMount mount = new HadoopMount(Mount.parse(arguments[0]), System::nanoTime);
        UnderStore store = mount.as(System.getProperty("user.name"));
        CopyWriter writer = store.write(new CopyTarget(UnderPath.of("name"), 5))) {
      writer.write(ByteBuffer.allocate(200_000));
      System.out.println("written");
      while (System.in.read() >= 0) {
        // Waits for the end of the input.
      }
    }
  }
}
