package dev.sailfish.hadoop.warm;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Native libraries of a class loader: no other loader can load them while it lives. Where the JVM
 * does not let one look, there are none.
 */
final class NativeLibraries {
  private static final Logger LOG = LoggerFactory.getLogger(NativeLibraries.class);

  /** Reflection does not show the fields of class loaders. */
  private static final VarHandle LIBRARIES = libraries();

  private NativeLibraries() {}

  private static VarHandle libraries() {
    try {
      return MethodHandles.privateLookupIn(ClassLoader.class, MethodHandles.lookup())
          .findVarHandle(
              ClassLoader.class, "libraries", Class.forName("jdk.internal.loader.NativeLibraries"));
    } catch (ReflectiveOperationException e) {
      LOG.debug("Native libraries cannot be seen", e);
      return null;
    }
  }

  /** How many the classes of a loader have loaded. */
  static int count(ClassLoader classes) {
    Object libraries = LIBRARIES == null ? null : LIBRARIES.get(classes);
    Map<?, ?> loaded = libraries == null ? null : Statics.get(libraries, "libraries", Map.class);
    return loaded == null ? 0 : loaded.size();
  }
}
