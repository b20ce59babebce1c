package dev.sailfish.hadoop.warm;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.hadoop.util.ApplicationClassLoader;

/**
 * The user's classes of one task, in front of which are Hadoop's and Sailfish's: in the order in
 * which Hadoop's class path of a task has them. That is: what lies in the working directory, then
 * Hadoop's, then the user's jars; or the user's before Hadoop's, where the job wants it so ({@code
 * mapreduce.job.user.classpath.first}), but for what Hadoop's own class loader for jobs takes from
 * Hadoop, too.
 */
final class UserClassLoader extends URLClassLoader {
  static {
    registerAsParallelCapable();
  }

  private static final List<String> SYSTEM =
      Arrays.asList(ApplicationClassLoader.SYSTEM_CLASSES_DEFAULT.split(","));
  private static final List<String> NEVER_THE_USERS = List.of("java.", "javax.", "dev.sailfish.");

  private final File workingDirectory;
  private final boolean userFirst;
  private final Queue<Class<?>> unread = new ConcurrentLinkedQueue<>();
  private String difference;

  UserClassLoader(List<URL> urls, ClassLoader hadoop, boolean userFirst) {
    this(urls, hadoop, userFirst, new File("").getAbsoluteFile());
  }

  /** As above, in a process of another working directory. */
  UserClassLoader(List<URL> urls, ClassLoader hadoop, boolean userFirst, File here) {
    super("sailfish-user-classes", urls.toArray(new URL[0]), hadoop);
    this.userFirst = userFirst;
    workingDirectory = !urls.isEmpty() && isSame(here, urls.get(0)) ? here : null;
  }

  private static boolean isSame(File directory, URL url) {
    try {
      return new File(url.toURI()).getCanonicalFile().equals(directory.getCanonicalFile());
    } catch (IOException | URISyntaxException e) {
      return false;
    }
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      if (loaded == null && isFirst(name, name.replace('.', '/') + ".class")) {
        loaded = findOwn(name);
      }
      return loaded == null ? super.loadClass(name, resolve) : loaded;
    }
  }

  private Class<?> findOwn(String name) {
    try {
      return findClass(name);
    } catch (ClassNotFoundException e) {
      return null;
    }
  }

  @Override
  protected Class<?> findClass(String name) throws ClassNotFoundException {
    Class<?> found = super.findClass(name);
    unread.add(found);
    return found;
  }

  /**
   * Why tasks may not have this loader one after another: what a class that it has loaded until now
   * has of its own in each task. Called by one thread, between tasks.
   *
   * @return a sentence; null: they may
   * @see ConstantClass
   */
  String difference() {
    while (difference == null && !unread.isEmpty()) {
      Class<?> next = unread.remove();
      String what =
          isGiven(next)
              ? difference(next.getName().replace('.', '/') + ".class")
              : "comes from the working directory";
      difference = what == null ? null : next.getName() + " " + what;
    }
    return difference;
  }

  /** Not something that a task may have written itself. */
  private boolean isGiven(Class<?> type) {
    URL from = type.getProtectionDomain().getCodeSource().getLocation();
    return workingDirectory == null || !isSame(workingDirectory, from);
  }

  private String difference(String file) {
    try (InputStream in = findResource(file).openStream()) {
      return ConstantClass.difference(ClassFile.of(in.readAllBytes()));
    } catch (IOException | RuntimeException e) {
      return "cannot be read: " + e;
    }
  }

  @Override
  public URL getResource(String name) {
    URL own = isFirst(name, name) ? findResource(name) : null;
    return own == null ? super.getResource(name) : own;
  }

  @Override
  public Enumeration<URL> getResources(String name) throws IOException {
    List<URL> found = new ArrayList<>();
    if (isFirst(name, name)) {
      List<URL> own = Collections.list(findResources(name));
      found.addAll(userFirst ? own : own.subList(0, Math.min(1, own.size())));
    }
    found.addAll(Collections.list(super.getResources(name)));
    Map<String, URL> once = new LinkedHashMap<>();
    found.forEach(url -> once.putIfAbsent(url.toString(), url));
    return Collections.enumeration(once.values());
  }

  /** Whether the user's is looked for before Hadoop's. */
  private boolean isFirst(String name, String file) {
    if (NEVER_THE_USERS.stream().anyMatch(name::startsWith)) {
      return false;
    }
    if (workingDirectory != null && new File(workingDirectory, file).exists()) {
      return true;
    }
    return userFirst && !ApplicationClassLoader.isSystemClass(name, SYSTEM);
  }
}
