package dev.sailfish.ground.memory;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;

/** Ends a mapping at once, which the JDK otherwise leaves to the garbage collector. */
public final class Unmapping {
  private static final Object UNSAFE;
  private static final Method INVOKE_CLEANER;

  static {
    Object unsafe = null;
    Method cleaner = null;
    try {
      Class<?> type = Class.forName("sun.misc.Unsafe");
      Field instance = type.getDeclaredField("theUnsafe");
      instance.setAccessible(true);
      unsafe = instance.get(null);
      cleaner = type.getMethod("invokeCleaner", ByteBuffer.class);
    } catch (ReflectiveOperationException e) {
      unsafe = null; // a JDK that has it no more
    }
    UNSAFE = unsafe;
    INVOKE_CLEANER = cleaner;
  }

  private Unmapping() {}

  /**
   * Unmaps a buffer that is not a slice of another; later access to it or its slices ends the JVM.
   * The module jdk.unsupported has what is needed, and no other of JDK 17 does.
   *
   * @return false when this JDK cannot do that: it stays mapped until it is garbage collected
   */
  public static boolean unmap(ByteBuffer mapping) {
    if (UNSAFE == null || INVOKE_CLEANER == null) {
      return false;
    }
    try {
      INVOKE_CLEANER.invoke(UNSAFE, mapping);
      return true;
    } catch (ReflectiveOperationException e) {
      return false;
    }
  }
}
