package dev.sailfish.workflow.step;

import java.io.Closeable;
import java.io.IOException;
import java.lang.reflect.UndeclaredThrowableException;
import java.security.PrivilegedExceptionAction;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * The user whose rights a step has. With Kerberos the manager stands for him as a proxy user; else
 * his name is believed. Thread-safe.
 */
public final class Owner implements Closeable {
  private final UserGroupInformation user;

  /**
   * @param name of a user of the store
   */
  public Owner(String name) throws IOException {
    user =
        UserGroupInformation.isSecurityEnabled()
            ? UserGroupInformation.createProxyUser(name, UserGroupInformation.getLoginUser())
            : UserGroupInformation.createRemoteUser(name);
  }

  /** Without realm. */
  public String name() {
    return user.getShortUserName();
  }

  /** Does something as him. */
  public <T> T run(PrivilegedExceptionAction<T> action) throws IOException {
    try {
      return user.doAs(action);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while working for " + name(), e);
    } catch (UndeclaredThrowableException e) {
      Throwable cause = e.getCause();
      throw new IOException(cause.getMessage(), cause);
    }
  }

  /** Closes the file systems that were used as him. */
  @Override
  public void close() throws IOException {
    FileSystem.closeAllForUGI(user);
  }
}
