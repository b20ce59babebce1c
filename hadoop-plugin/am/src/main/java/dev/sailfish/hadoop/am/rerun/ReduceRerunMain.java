package dev.sailfish.hadoop.am.rerun;

import java.io.IOException;
import org.apache.hadoop.mapred.JobConf;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Main class of the JVM that {@code bin/sailfish reduce} starts. */
public final class ReduceRerunMain {
  private static final Logger LOG = LoggerFactory.getLogger(ReduceRerunMain.class);

  /** Exit code when there is output that differs from the job's own. */
  private static final int DIFFERS = 3;

  private ReduceRerunMain() {}

  /**
   * Reads an order ({@link RerunOrder}) from standard input and does it. Exit code 0: there is
   * output, and it has the bytes of the job's own or there is none to compare with; 3: it differs;
   * 1: an error.
   */
  public static void main(String[] arguments) {
    int code = 1;
    try {
      ReduceRerun rerun = new ReduceRerun(RerunOrder.read(System.in), System.out);
      code = rerun.run(new JobConf()).different().isEmpty() ? 0 : DIFFERS;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException | ClassNotFoundException | RuntimeException | Error e) {
      System.err.println("sailfish: the reduce task failed: " + e);
      LOG.error("the reduce task failed", e);
    }
    System.exit(code); // user code may have left threads
  }
}
