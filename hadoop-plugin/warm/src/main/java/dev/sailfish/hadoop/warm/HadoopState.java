package dev.sailfish.hadoop.warm;

import java.io.IOException;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.GlobalStorageStatistics;
import org.apache.hadoop.fs.LocalDirAllocator;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.io.WritableFactories;
import org.apache.hadoop.io.WritableName;
import org.apache.hadoop.io.compress.CompressionCodecFactory;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.metrics2.source.JvmMetrics;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.util.ReflectionUtils;
import org.apache.hadoop.yarn.factory.providers.RecordFactoryProvider;

/**
 * What Hadoop keeps per process and what belongs to a task: file systems and their statistics, the
 * user who is logged in, metrics, and what it remembers of classes. Used between attempts, by one
 * thread.
 */
final class HadoopState {
  private static final String FILE_SYSTEM_SERVICE =
      "META-INF/services/org.apache.hadoop.fs.FileSystem";

  /** Hadoop's own classes name these when they are loaded, which is once per process. */
  private static final Set<String> HADOOPS_RESOURCES = Set.of("core", "hdfs", "mapred", "yarn");

  /** What classes register of themselves, or users of others' classes. */
  private static final List<Registry> REGISTRIES =
      List.of(
          new Registry(WritableComparator.class, "comparators"),
          new Registry(WritableFactories.class, "CLASS_TO_FACTORY"),
          new Registry(WritableName.class, "NAME_TO_CLASS"),
          new Registry(WritableName.class, "CLASS_TO_NAME"));

  private final UserGroupInformation loginUser;
  private final Configuration base;
  private final boolean isolated;
  private final List<String> resources;
  private final Map<Registry, Map<Object, Object>> registered = new HashMap<>();

  private record Registry(Class<?> owner, String field) {
    @SuppressWarnings("unchecked") // A map of anything.
    Map<Object, Object> map() {
      return Statics.get(owner, field, Map.class);
    }
  }

  /**
   * As it is before the first attempt.
   *
   * @param isolated whether the classes of each attempt's user are loaded anew
   */
  HadoopState(ChildProcess process, boolean isolated) {
    loginUser = process.loginUser();
    base = process.base();
    this.isolated = isolated;
    loadKeepers(new ContextClasses(HadoopState.class.getClassLoader()));
    resources = List.copyOf(resources());
    for (Registry registry : REGISTRIES) {
      Map<Object, Object> map = registry.map();
      if (map != null) {
        registered.put(registry, new HashMap<>(map));
      }
    }
  }

  /** Loads what keeps the context class loader of the thread that loads it. */
  private static void loadKeepers(ClassLoader context) {
    Thread thread = Thread.currentThread();
    ClassLoader own = thread.getContextClassLoader();
    thread.setContextClassLoader(context);
    try {
      codecs();
    } finally {
      thread.setContextClassLoader(own);
    }
    RecordFactoryProvider.getRecordFactory(null);
  }

  private static ServiceLoader<?> codecs() {
    return Statics.get(CompressionCodecFactory.class, "CODEC_PROVIDERS", ServiceLoader.class);
  }

  /**
   * Puts back what an attempt may have changed, and closes all file systems: files that are to be
   * deleted at the end go.
   *
   * @param classes the loader of the attempt's classes
   * @throws IOException when a file system cannot be closed
   */
  void restore(ClassLoader classes) throws IOException {
    FileSystem.closeAll();
    clear(LocalDirAllocator.class, "contexts");
    clearStatistics();
    if (UserGroupInformation.getLoginUser() != loginUser) {
      UserGroupInformation.setLoginUser(loginUser);
    }
    if (Statics.get(UserGroupInformation.class, "conf", Configuration.class) != base) {
      UserGroupInformation.setConfiguration(base);
    }
    if (isolated) {
      forgetClasses(classes);
    }
  }

  private static void clearStatistics() {
    clear(FileSystem.class, "statisticsTable");
    Map<?, ?> all =
        Statics.get(
            GlobalStorageStatistics.class, GlobalStorageStatistics.INSTANCE, "map", Map.class);
    if (all != null) {
      all.clear();
    }
    FileSystem.clearStatistics();
  }

  private static void clear(Class<?> owner, String name) {
    Map<?, ?> map = Statics.get(owner, name, Map.class);
    if (map != null) {
      synchronized (map) {
        map.clear();
      }
    }
  }

  /** Classes of a user are other ones in the next attempt, under the same names. */
  private void forgetClasses(ClassLoader classes) {
    List<String> now = resources();
    if (now.removeIf(name -> !resources.contains(name) && !isHadoops(name))) {
      Configuration.reloadExistingConfigurations();
    }
    registered.forEach((registry, before) -> restore(registry.map(), before, classes));
    Map<?, ?> constructors = Statics.get(ReflectionUtils.class, "CONSTRUCTOR_CACHE", Map.class);
    if (constructors != null) {
      constructors.keySet().removeIf(type -> isOf(classes, type));
    }
    Statics.set(ReflectionUtils.class, "serialFactory", null);
    if (ownFileSystems(classes)) {
      clear(FileSystem.class, "SERVICE_FILE_SYSTEMS");
      Statics.set(FileSystem.class, "FILE_SYSTEMS_LOADED", false);
    }
    ServiceLoader<?> codecs = codecs();
    if (codecs != null) {
      codecs.reload();
    }
  }

  private static boolean ownFileSystems(ClassLoader classes) {
    return classes instanceof URLClassLoader own && own.findResource(FILE_SYSTEM_SERVICE) != null;
  }

  private static boolean isHadoops(String resource) {
    return HADOOPS_RESOURCES.stream()
        .anyMatch(
            name -> resource.equals(name + "-default.xml") || resource.equals(name + "-site.xml"));
  }

  /** Keeps what Hadoop's classes have registered of themselves since, when they were loaded. */
  private void restore(Map<Object, Object> map, Map<Object, Object> before, ClassLoader classes) {
    synchronized (map) {
      map.entrySet()
          .removeIf(entry -> isOf(classes, entry.getKey()) || isOf(classes, entry.getValue()));
      map.putAll(before);
      map.values().forEach(this::letGo);
    }
  }

  /** A comparator of Hadoop's keeps the configuration of the attempt that has used it last. */
  private void letGo(Object one) {
    if (one instanceof WritableComparator comparator) {
      comparator.setConf(base);
    }
  }

  private static boolean isOf(ClassLoader classes, Object one) {
    Class<?> type = one instanceof Class<?> itself ? itself : one.getClass();
    return type.getClassLoader() == classes;
  }

  /** In the order in which they are read; of all configurations of this process. */
  @SuppressWarnings("unchecked") // Names of resources.
  private static List<String> resources() {
    List<String> now = Statics.get(Configuration.class, "defaultResources", List.class);
    return now == null ? new ArrayList<>() : now;
  }

  /**
   * Begins metrics of another attempt, which are Hadoop's and the JVM's.
   *
   * @param startNew what starts the attempt's
   */
  static void renewMetrics(Runnable startNew) {
    DefaultMetricsSystem.shutdown();
    JvmMetrics.shutdownSingleton();
    startNew.run();
    UserGroupInformation.reattachMetrics();
  }
}
