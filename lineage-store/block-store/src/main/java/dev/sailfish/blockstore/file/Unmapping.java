package dev.sailfish.blockstore.file;

import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends a mapping at once, which the JDK otherwise leaves to the garbage collector. */
public final class Unmapping {
  private static final Logger LOG = LoggerFactory.getLogger(Unmapping.class);

  private Unmapping() {}

  /**
   * Unmaps a buffer that is not a slice of another; later access to it or its slices ends the JVM.
   * The module jdk.unsupported has what is needed, and no other of JDK 17 does.
   */
  public static void unmap(ByteBuffer mapping) {
    try {
      Class<?> unsafe = Class.forName("sun.misc.Unsafe");
      Field instance = unsafe.getDeclaredField("theUnsafe");
      instance.setAccessible(true);
      unsafe.getMethod("invokeCleaner", ByteBuffer.class).invoke(instance.get(null), mapping);
    } catch (ReflectiveOperationException e) {
      LOG.warn("a shared segment stays mapped until it is garbage collected", e);
    }
  }
}
