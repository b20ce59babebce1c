package dev.sailfish.ground.server.guard;

import io.netty.util.internal.OutOfDirectMemoryError;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends a daemon's process on an {@link Error}: after one, memory that ran out or a class that is
 * missing, nobody knows which thread was left in the middle of what, and a process that stays alive
 * and serves nothing is worse than one that a supervisor starts again. Nothing is closed first:
 * what was acknowledged survives the end of the process at any moment.
 *
 * <p>Errors of threads come here by themselves once {@link #install} was called. Where an executor,
 * a future or an event loop keeps what is thrown, {@link #check} has to be called. In a process
 * that did not install it, that does nothing.
 */
public final class ErrorGuard implements Thread.UncaughtExceptionHandler {
  /** What the process exits with; the JVM's own way to end for want of memory has 3. */
  public static final int EXIT_CODE = 70;

  private static final Logger LOG = LoggerFactory.getLogger(ErrorGuard.class);

  /** What the log may take, of which nothing else is left when memory has run out. */
  private static final int RESERVE_BYTES = 2 << 20;

  private static final long LOG_DEADLINE_S = 5;

  private final String daemon;
  private final IntConsumer halt;
  private final AtomicBoolean ending = new AtomicBoolean();
  private final CountDownLatch logged = new CountDownLatch(1);
  private final AtomicReference<byte[]> reserve = new AtomicReference<>(new byte[RESERVE_BYTES]);

  private ErrorGuard(String daemon, IntConsumer halt) {
    this.daemon = daemon;
    this.halt = halt;
  }

  /**
   * From now on an Error ends this process; for the main class of a daemon.
   *
   * @param daemon for the log
   * @param halt ends the process at once, with the code that it is given: not by an orderly exit,
   *     for what runs then may need the memory that is missing
   */
  public static void install(String daemon, IntConsumer halt) {
    Thread.setDefaultUncaughtExceptionHandler(new ErrorGuard(daemon, halt));
  }

  /** Ends the process if this is an Error, or was caused by one; may be null. */
  public static void check(Throwable thrown) {
    Throwable cause = thrown;
    for (int depth = 0; cause != null && depth < 10; depth++) {
      if (isFatal(cause)
          && Thread.getDefaultUncaughtExceptionHandler() instanceof ErrorGuard guard) {
        guard.end(Thread.currentThread(), cause);
      }
      cause = cause.getCause();
    }
  }

  /** Netty's own limit on buffers is no want of memory: it costs the connection that met it. */
  private static boolean isFatal(Throwable thrown) {
    return thrown instanceof Error && !(thrown instanceof OutOfDirectMemoryError);
  }

  /** The same work, after whose Error the process ends. */
  public static Runnable guarded(Runnable work) {
    return () -> {
      try {
        work.run();
      } catch (Error e) {
        check(e);
        throw e;
      }
    };
  }

  @Override
  public void uncaughtException(Thread thread, Throwable thrown) {
    if (isFatal(thrown)) {
      end(thread, thrown);
    } else {
      LOG.error("thread {} ended with an exception", thread.getName(), thrown);
    }
  }

  /** The first thread logs and ends the process; others wait for it, but not for long. */
  private void end(Thread thread, Throwable error) {
    if (ending.compareAndSet(false, true)) {
      log(thread, error);
    } else {
      awaitLog();
    }
    halt.accept(EXIT_CODE);
  }

  private void awaitLog() {
    try {
      if (!logged.await(LOG_DEADLINE_S, TimeUnit.SECONDS)) {
        LOG.debug("the first error was not logged in {} s", LOG_DEADLINE_S);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void log(Thread thread, Throwable error) {
    reserve.set(null);
    try {
      LOG.error(
          "{} ends with exit code {}: thread {} met an error that cannot be handled: {}; what was"
              + " acknowledged is kept, start it again{}",
          daemon,
          EXIT_CODE,
          thread.getName(),
          error,
          error instanceof OutOfMemoryError ? ", with a larger heap (-Xmx) if that recurs" : "",
          error);
    } catch (Throwable e) {
      // There is nothing that could be done about it, and the exit code still says what happened.
      System.err.println(daemon + " ends, and could not log why");
    } finally {
      logged.countDown();
    }
  }
}
