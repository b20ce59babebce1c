package dev.sailfish.hadoop.warm.user;

import dev.sailfish.hadoop.auto.WorkCounter;
import java.io.IOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.TimeZone;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.log4j.Level;
import org.apache.log4j.LogManager;
import org.apache.log4j.Logger;

/** A user's mapper: writes down what it finds, and then does to its JVM what its record says. */
public final class ProbeMapper extends Mapper<LongWritable, Text, NullWritable, NullWritable> {
  /** The key of the directory where it writes what it finds. */
  public static final String DIRECTORY = "probe.directory";

  private static final Logger LOG = Logger.getLogger(ProbeMapper.class);
  private static final int MORE_THAN_HALF_OF_THE_HEAP = 68 << 20;
  private static final int EXIT = 3;

  private static int runs;
  private static byte[] cache = new byte[0];

  /** Made by Hadoop. */
  public ProbeMapper() {}

  @Override
  protected void map(LongWritable key, Text value, Context context) throws IOException {
    Path directory = Path.of(context.getConfiguration().get(DIRECTORY));
    String attempt = context.getTaskAttemptID().toString();
    Files.writeString(directory.resolve(attempt), String.join("\n", findings(context)));
    runs++;
    System.out.println("out of " + attempt);
    System.err.println("err of " + attempt);
    LOG.info("log of " + attempt);
    LOG.debug("debug of " + attempt);
    if (value.toString().equals("start")) {
      WorkCounter.countMapStart(context::getCounter);
    }
    act(value.toString(), directory);
  }

  private static Iterable<String> findings(Context context) throws IOException {
    TreeMap<String, Object> found = new TreeMap<>();
    found.put("runs", runs);
    found.put("property", System.getProperty("probe"));
    found.put("locale", Locale.getDefault() + " " + Locale.getDefault(Locale.Category.FORMAT));
    found.put("zone", TimeZone.getDefault().getID());
    found.put("thread", Thread.currentThread().getName());
    found.put("group", Thread.currentThread().getThreadGroup().getName());
    found.put("loader", Thread.currentThread().getContextClassLoader() == loader());
    found.put("conf loader", context.getConfiguration().getClassLoader() == loader());
    String[] files = Path.of("").toAbsolutePath().toFile().list();
    Arrays.sort(files);
    found.put("files", Arrays.toString(files));
    found.put("tmp", Arrays.toString(Path.of("tmp").toFile().list()));
    found.put("user", UserGroupInformation.getCurrentUser().getShortUserName());
    found.put("login", UserGroupInformation.getLoginUser().getTokens().size());
    found.put("default", new Configuration().get("probe.default"));
    found.put("text order", WritableComparator.get(Text.class).getClass().getName());
    found.put("uri", FileSystem.getDefaultUri(new Configuration()));
    return found.entrySet().stream().map(Object::toString).toList();
  }

  private static ClassLoader loader() {
    return ProbeMapper.class.getClassLoader();
  }

  @SuppressWarnings("checkstyle:exit") // That is what is tried.
  private static void act(String what, Path directory) throws IOException {
    switch (what) {
      case "change" -> change();
      case "thread" -> new Thread(ProbeMapper::stay, "users").start();
      case "pool" -> ForkJoinPool.commonPool().execute(ProbeMapper::stay);
      case "hook" ->
          Runtime.getRuntime().addShutdownHook(new Thread(() -> touch(directory.resolve("hook"))));
      case "heap" ->
          NetUtils.addStaticResolution("x".repeat(MORE_THAN_HALF_OF_THE_HEAP), "localhost");
      case "cache" -> cache = new byte[cache.length + MORE_THAN_HALF_OF_THE_HEAP];
      case "library" -> System.load(System.getProperty("java.home") + "/lib/libprefs.so");
      case "file" -> Files.delete(Path.of("given"));
      case "factory" -> URL.setURLStreamHandlerFactory(protocol -> null);
      case "exit" -> System.exit(EXIT);
      case "fail" -> throw new IOException("as asked");
      case "error" -> throw new NoClassDefFoundError("as asked");
      default -> LOG.info("nothing to do");
    }
  }

  /** All that can be put back. */
  private static void change() throws IOException {
    System.setProperty("probe", "changed");
    Locale.setDefault(Locale.forLanguageTag("tr-TR"));
    TimeZone.setDefault(TimeZone.getTimeZone("Pacific/Chatham"));
    Files.writeString(Path.of("left"), "left");
    Files.createDirectories(Path.of("tmp", "left", "below"));
    Configuration.addDefaultResource("probe-site.xml");
    UserGroupInformation.setLoginUser(UserGroupInformation.createRemoteUser("somebody"));
    WritableComparator.define(Text.class, new WritableComparator(Text.class) {});
    LogManager.getRootLogger().setLevel(Level.DEBUG);
    Thread.currentThread().setName("renamed");
  }

  private static void stay() {
    try {
      new CountDownLatch(1).await(1, TimeUnit.HOURS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void touch(Path file) {
    try {
      Files.createFile(file);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
