package dev.sailfish.blockstore.file;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends a mapping at once, which the JDK otherwise leaves to the garbage collector. */
public final class Unmapping {
  private static final Logger LOG = LoggerFactory.getLogger(Unmapping.class);
  private static final MethodHandle CLEANER = cleaner();

  private Unmapping() {}

  /** The module jdk.unsupported has it, and no other of JDK 17 does. */
  private static MethodHandle cleaner() {
    try {
      Class<?> unsafe = Class.forName("sun.misc.Unsafe");
      Field instance = unsafe.getDeclaredField("theUnsafe");
      instance.setAccessible(true);
      MethodType type = MethodType.methodType(void.class, ByteBuffer.class);
      return MethodHandles.lookup()
          .findVirtual(unsafe, "invokeCleaner", type)
          .bindTo(instance.get(null));
    } catch (ReflectiveOperationException e) {
      LOG.warn(
          "mappings of shared segments stay until they are garbage collected: {}", e.toString());
      return null;
    }
  }

  /**
   * Unmaps a buffer that is not a slice of another; later access to it or its slices ends the JVM.
   */
  public static void unmap(ByteBuffer mapping) {
    if (CLEANER != null) {
      try {
        CLEANER.invokeExact(mapping);
      } catch (Throwable e) {
        throw new IllegalStateException("cannot unmap " + mapping, e);
      }
    }
  }
}
