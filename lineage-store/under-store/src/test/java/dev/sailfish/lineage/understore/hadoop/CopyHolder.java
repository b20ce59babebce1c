package dev.sailfish.lineage.understore.hadoop;

import dev.sailfish.lineage.understore.CopyTarget;
import dev.sailfish.lineage.understore.CopyWriter;
import dev.sailfish.lineage.understore.UnderPath;
import dev.sailfish.lineage.understore.UnderStore;
import dev.sailfish.lineage.understore.mount.Mount;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.hadoop.security.UserGroupInformation;

/** Writes the beginning of a copy, and waits for its end. */
final class CopyHolder {
  private CopyHolder() {}

  public static void main(String[] arguments) throws IOException {
    Mount mount = Mount.parse("/d " + arguments[0] + " buffer=64k");
    try (HadoopMount opened = new HadoopMount(mount, System::nanoTime);
        UnderStore store = opened.as(UserGroupInformation.getCurrentUser());
        CopyWriter writer = store.write(new CopyTarget(UnderPath.of("name"), 5))) {
      writer.write(ByteBuffer.allocate(200_000));
      System.out.println("written");
      while (System.in.read() >= 0) {
        // Waits for the end of the input.
      }
    }
  }
}
