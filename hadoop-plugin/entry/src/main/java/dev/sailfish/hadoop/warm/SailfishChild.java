package dev.sailfish.hadoop.warm;

import dev.sailfish.hadoop.Requirements;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The main class of a container that runs several task attempts, as the ApplicationMaster names it.
 * All is done by {@code WarmChild}; where that does not fit this Java or this Hadoop, the log says
 * why, and Hadoop's own main class runs the one task that the container was started for.
 */
public final class SailfishChild {
  private static final Logger LOG = LoggerFactory.getLogger(SailfishChild.class);

  private SailfishChild() {}

  /**
   * What YARN runs.
   *
   * @param args of Hadoop's {@code YarnChild}: host and port of the ApplicationMaster, the attempt
   *     that the container was started for, the number of the container
   */
  public static void main(String[] args) throws Throwable {
    Method main = prepared();
    if (main == null) {
      userClassesAsContext();
      main = stock();
    }
    try {
      main.invoke(null, (Object) args);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  /** Null where tasks cannot share a JVM. */
  private static Method prepared() throws ReflectiveOperationException {
    try {
      Class<?> child = Class.forName("dev.sailfish.hadoop.warm.WarmChild");
      child.getMethod("prepare").invoke(null);
      return child.getMethod("run", String[].class);
    } catch (LinkageError e) {
      LOG.warn("This JVM runs one task only: {}", Requirements.explain(e), e);
    } catch (InvocationTargetException e) {
      LOG.warn("This JVM runs one task only: {}", Requirements.explain(e.getCause()), e.getCause());
    }
    return null;
  }

  private static Method stock() throws ReflectiveOperationException {
    Method main =
        Class.forName("org.apache.hadoop.mapred.YarnChild").getMethod("main", String[].class);
    main.setAccessible(true);
    return main;
  }

  /** For Hadoop's own main class, which takes the class loader of the job from its thread. */
  @SuppressWarnings("resource") // The JVM ends with its use.
  private static void userClassesAsContext() {
    List<URL> urls = UserClassPath.ofProcess();
    if (urls != null) {
      Thread.currentThread()
          .setContextClassLoader(
              new URLClassLoader(urls.toArray(new URL[0]), SailfishChild.class.getClassLoader()));
    }
  }
}
