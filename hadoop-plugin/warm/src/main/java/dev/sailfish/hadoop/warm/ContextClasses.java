package dev.sailfish.hadoop.warm;

import java.io.IOException;
import java.net.URL;
import java.util.Enumeration;

/**
 * A class loader that stands for the context class loader of whichever thread asks it: for what
 * Hadoop keeps per process together with the class loader of its first use. Thread-safe.
 */
final class ContextClasses extends ClassLoader {
  static {
    registerAsParallelCapable();
  }

  ContextClasses(ClassLoader hadoop) {
    super("sailfish-context-classes", hadoop);
  }

  private ClassLoader current() {
    ClassLoader context = Thread.currentThread().getContextClassLoader();
    return context == null || context == this ? getParent() : context;
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    return current().loadClass(name);
  }

  @Override
  public URL getResource(String name) {
    return current().getResource(name);
  }

  @Override
  public Enumeration<URL> getResources(String name) throws IOException {
    return current().getResources(name);
  }
}
