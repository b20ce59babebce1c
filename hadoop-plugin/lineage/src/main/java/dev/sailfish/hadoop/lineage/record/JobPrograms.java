package dev.sailfish.hadoop.lineage.record;

import dev.sailfish.hadoop.lineage.Passwords;
import dev.sailfish.hadoop.lineage.ProgramName;
import dev.sailfish.hadoop.lineage.wire.CacheFile;
import dev.sailfish.hadoop.lineage.wire.Recipe;
import dev.sailfish.lineage.client.Lineage;
import dev.sailfish.lineage.protocol.wire.ProgramFile;
import dev.sailfish.lineage.protocol.wire.RecordObstacle;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.lib.partition.TotalOrderPartitioner;

/**
 * All that a job needs to run again, as local files: what is in the task's working directory, and
 * copies of the rest, which go when this is closed. For one thread.
 */
final class JobPrograms implements Closeable {
  /** A name that no other file has in working directories; nobody opens the file by it. */
  private static final String NAMED_LINK = "sailfish-partition-keys";

  /** The container's working directory, in which are links to the distributed cache. */
  private final File here = new File(System.getProperty("user.dir"));

  private final FileSystem files;
  private final Path staging;
  private final Configuration conf;
  private final File copies;
  private final Configuration job = new Configuration(false);
  private final Map<String, File> programs = new LinkedHashMap<>();
  private final List<CacheFile> cache = new ArrayList<>();
  private int copied;

  /**
   * Finds them all.
   *
   * @param files has the staging directory
   * @param conf of the task
   * @throws UnrecordedException when one cannot be read
   */
  JobPrograms(FileSystem files, Path staging, Configuration conf) throws IOException {
    this.files = files;
    this.staging = staging;
    this.conf = conf;
    copies = Files.createTempDirectory("sailfish-record-").toFile();
    boolean isFound = false;
    try {
      find();
      isFound = true;
    } catch (UnrecordedException e) {
      throw e;
    } catch (IOException | RuntimeException e) { // names of the distributed cache may be none, too
      throw new UnrecordedException(
          RecordObstacle.OBSTACLE_PROGRAMS, "a program cannot be read: " + e, e);
    } finally {
      if (!isFound) {
        close();
      }
    }
  }

  private void find() throws IOException {
    File xml = copy(files, staged(ProgramName.JOB_XML), "whole.xml");
    try (InputStream in = Files.newInputStream(xml.toPath())) {
      job.addResource(in, ProgramName.JOB_XML);
      job.size(); // reads it
    }
    String jar = job.get(MRJobConfig.JAR);
    if (jar != null) {
      programs.put(ProgramName.JOB_JAR, jar(new Path(jar)));
    }
    programs.put(ProgramName.JOB_XML, withoutSecrets());
    addStaged(ProgramName.SPLITS, ProgramName.SPLITS);
    addStaged(ProgramName.SPLIT_PLACES, ProgramName.SPLIT_PLACES);
    if (files.exists(staged(ProgramName.STAGED_PLAN))) {
      addStaged(ProgramName.STAGED_PLAN, ProgramName.PLAN);
    }
    addCache(MRJobConfig.CACHE_FILES, false);
    addCache(MRJobConfig.CACHE_ARCHIVES, true);
    addNamed(TotalOrderPartitioner.PARTITIONER_PATH);
  }

  private Path staged(String name) {
    return new Path(staging, name);
  }

  private void addStaged(String name, String program) throws IOException {
    programs.put(program, copy(files, staged(name), program));
  }

  private File copy(FileSystem from, Path file, String name) throws IOException {
    File copy = new File(copies, name);
    try (InputStream in = from.open(file)) {
      Files.copy(in, copy.toPath());
    }
    return copy;
  }

  /** YARN unpacks some of it, and leaves the jar itself in that directory. */
  private File jar(Path jar) throws IOException {
    File local = new File(here, ProgramName.JOB_JAR);
    for (File file : List.of(local, new File(local, ProgramName.JOB_JAR))) {
      if (file.isFile()) {
        return file;
      }
    }
    return copy(jar.getFileSystem(conf), jar, ProgramName.JOB_JAR);
  }

  /** Who reads the record is to learn nothing that opens something else. */
  private File withoutSecrets() throws IOException {
    Passwords.remove(job);
    File file = new File(copies, ProgramName.JOB_XML);
    try (OutputStream out = Files.newOutputStream(file.toPath())) {
      JobXml.write(job, out);
    }
    return file;
  }

  // ---- the distributed cache

  private void addCache(String key, boolean isArchive) throws IOException {
    for (String text : job.getStrings(key, new String[0])) {
      URI uri = URI.create(text);
      CacheFile.Builder cached = CacheFile.newBuilder().setUri(text).setArchive(isArchive);
      if (isFramework(uri)) {
        cache.add(cached.build());
      } else if (uri.getPath().endsWith("/*")) {
        addDirectory(uri, cached);
      } else {
        Path file = pathOf(uri, uri.getPath());
        String link = uri.getFragment() == null ? file.getName() : uri.getFragment();
        add(cached, isArchive ? null : new File(here, link), file);
      }
    }
  }

  /**
   * Adds a file that tasks open by its path, as one of the cache: its client may delete it when the
   * job has ended.
   *
   * @param key has the path; one from the working directory is that of a link
   */
  private void addNamed(String key) throws IOException {
    Path file = job.get(key, "").isEmpty() ? null : new Path(job.get(key));
    if (file == null || !file.isAbsolute()) {
      return;
    }
    FileSystem own = file.getFileSystem(conf);
    URI uri = own.makeQualified(file).toUri();
    if (cache.stream().noneMatch(cached -> isOf(cached, uri)) && own.exists(file)) {
      add(CacheFile.newBuilder().setUri(uri + "#" + NAMED_LINK), null, file);
    }
  }

  private static boolean isOf(CacheFile cached, URI file) {
    return URI.create(cached.getUri()).getPath().equals(file.getPath());
  }

  /** Hadoop itself, where the cluster has it as an archive. */
  private boolean isFramework(URI uri) {
    String framework = job.get(MRJobConfig.MAPREDUCE_APPLICATION_FRAMEWORK_PATH, "");
    return !framework.isEmpty() && URI.create(framework).getPath().equals(uri.getPath());
  }

  private static Path pathOf(URI uri, String path) {
    return new Path(uri.getScheme(), uri.getAuthority(), path);
  }

  private void addDirectory(URI uri, CacheFile.Builder cached) throws IOException {
    Path directory = pathOf(uri, uri.getPath().substring(0, uri.getPath().length() - 2));
    File local = new File(here, directory.getName());
    for (FileStatus status : directory.getFileSystem(conf).listStatus(directory)) {
      String name = status.getPath().getName();
      add(cached.setEntry(name), new File(local, name), status.getPath());
    }
  }

  /**
   * @param local where the task may have it; null: it has something else
   */
  private void add(CacheFile.Builder cached, File local, Path file) throws IOException {
    String program = "cache-" + copied++ + "-" + file.getName();
    boolean isLocal = local != null && local.isFile();
    if (!isLocal && file.getFileSystem(conf).getFileStatus(file).isDirectory()) {
      throw new UnrecordedException(
          RecordObstacle.OBSTACLE_PROGRAMS,
          "a directory is in the distributed cache: " + file + "; put an archive there");
    }
    programs.put(program, isLocal ? local : copy(file.getFileSystem(conf), file, program));
    cache.add(cached.setProgram(program).build());
  }

  // ---- what was found

  /** The job's configuration as it was submitted, without passwords. */
  Configuration job() {
    return job;
  }

  /** Files of the distributed cache. */
  List<CacheFile> cache() {
    return cache;
  }

  /** The directory that has {@link ProgramName#SPLITS} and {@link ProgramName#SPLIT_PLACES}. */
  File splits() {
    return copies;
  }

  /** Adds what is too long for the record. */
  void add(Recipe recipe) throws IOException {
    File file = new File(copies, ProgramName.RECIPE);
    Files.write(file.toPath(), recipe.toByteArray());
    programs.put(ProgramName.RECIPE, file);
  }

  /**
   * Has them all in the store.
   *
   * @return how the record names them, the job's jar first if there is one
   */
  List<ProgramFile> upload(Lineage lineage) throws IOException {
    List<ProgramFile> uploaded = new ArrayList<>();
    for (Map.Entry<String, File> program : programs.entrySet()) {
      try {
        ProgramFile file = lineage.upload(program.getValue().toPath());
        uploaded.add(file.toBuilder().setName(program.getKey()).build());
      } catch (IOException e) {
        throw new UnrecordedException(
            RecordObstacle.OBSTACLE_PROGRAMS,
            "%s cannot be stored: %s".formatted(program.getKey(), e.getMessage()),
            e);
      }
    }
    return uploaded;
  }

  /** Removes the copies. */
  @Override
  public void close() throws IOException {
    for (File file : copies.listFiles()) {
      Files.delete(file.toPath());
    }
    Files.delete(copies.toPath());
  }
}
