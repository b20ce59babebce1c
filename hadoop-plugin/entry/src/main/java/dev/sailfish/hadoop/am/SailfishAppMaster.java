package dev.sailfish.hadoop.am;

import dev.sailfish.hadoop.Requirements;
import java.lang.reflect.InvocationTargetException;

/**
 * The ApplicationMaster, as {@code yarn.app.mapreduce.am.command-opts} names it. All is done by
 * {@code IfileAppMaster}; where that cannot be loaded, the attempt fails with a sentence that says
 * which versions are needed.
 */
public final class SailfishAppMaster {
  private SailfishAppMaster() {}

  /**
   * What YARN runs.
   *
   * @param args of {@code IfileAppMaster}
   */
  public static void main(String[] args) throws Throwable {
    try {
      Class.forName("dev.sailfish.hadoop.am.IfileAppMaster")
          .getMethod("main", String[].class)
          .invoke(null, (Object) args);
    } catch (LinkageError e) {
      throw new IllegalStateException(Requirements.explain(e), e);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
