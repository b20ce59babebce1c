package dev.sailfish.hadoop.lineage.record;

import dev.sailfish.hadoop.lineage.wire.InputPath;
import dev.sailfish.lineage.hadoop.TaskStore;
import dev.sailfish.lineage.protocol.wire.DependencyInput;
import dev.sailfish.lineage.protocol.wire.FileEntry;
import dev.sailfish.lineage.protocol.wire.OutsideInput;
import dev.sailfish.lineage.protocol.wire.RecordObstacle;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.serializer.Deserializer;
import org.apache.hadoop.io.serializer.SerializationFactory;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.split.JobSplit.TaskSplitMetaInfo;
import org.apache.hadoop.mapreduce.split.SplitMetaInfoReader;

/**
 * The files that a job reads: those of its splits, in the splits' order, and where a split says no
 * file, those below the input paths of the job's configuration. For one thread.
 */
final class JobInputs {
  /** From so many files of one directory on, the directory is listed. */
  private static final int MANY = 8;

  private final TaskStore store;
  private final Configuration conf;
  private final Map<DependencyInput, Integer> inputs = new LinkedHashMap<>();
  private final List<InputPath> paths = new ArrayList<>();
  private final Map<Path, Integer> places = new HashMap<>(); // of files, as splits name them
  private List<Path> bySplit = List.of();

  /**
   * @param store whose files are inputs by their FIDs
   * @param conf of the task
   */
  JobInputs(TaskStore store, Configuration conf) {
    this.store = store;
    this.conf = conf;
  }

  /**
   * Adds what a job reads.
   *
   * @throws UnrecordedException when that cannot be told
   */
  void add(JobPrograms job) throws UnrecordedException {
    try {
      SplitFiles splits = new SplitFiles();
      read(job, splits);
      Set<Path> files = new LinkedHashSet<>(splits.files());
      if (splits.isUnknown()) {
        for (String path : job.job().getTrimmedStrings(FileInputFormat.INPUT_DIR)) {
          addMatching(new Path(path), files);
        }
      }
      addAll(files);
      bySplit = splits.bySplit();
    } catch (IOException | RuntimeException | LinkageError e) { // of the job's own classes, too
      throw new UnrecordedException(
          RecordObstacle.OBSTACLE_INPUTS, "what the job reads cannot be told: " + e, e);
    }
  }

  /** As a map task reads its split. */
  private void read(JobPrograms job, SplitFiles found) throws IOException {
    LocalFileSystem local = FileSystem.getLocal(conf);
    Path directory = new Path(job.splits().toURI());
    TaskSplitMetaInfo[] all = SplitMetaInfoReader.readSplitMetaInfo(null, local, conf, directory);
    SerializationFactory serializations = new SerializationFactory(conf);
    for (TaskSplitMetaInfo split : all) {
      // The file is opened again for each: nobody knows what a deserializer has read ahead.
      try (FSDataInputStream in =
          local.getRaw().open(new Path(split.getSplitIndex().getSplitLocation()))) {
        in.seek(split.getStartOffset());
        found.add(split(serializations, in));
      }
    }
  }

  private Object split(SerializationFactory serializations, FSDataInputStream in)
      throws IOException {
    String name = Text.readString(in);
    try {
      return split(serializations, conf.getClassByName(name), in);
    } catch (ClassNotFoundException e) {
      throw new IOException("the class of a split is not there: " + name, e);
    }
  }

  private static <T> T split(
      SerializationFactory serializations, Class<T> type, FSDataInputStream in) throws IOException {
    Deserializer<T> deserializer = serializations.getDeserializer(type);
    deserializer.open(in);
    return deserializer.deserialize(null);
  }

  private void addMatching(Path pattern, Set<Path> files) throws IOException {
    FileStatus[] matching = pattern.getFileSystem(conf).globStatus(pattern);
    if (matching == null) {
      return;
    }
    for (FileStatus status : matching) {
      files.add(status.getPath());
    }
  }

  // ---- files

  private void addAll(Set<Path> files) throws IOException {
    Map<Path, Integer> siblings = new HashMap<>();
    files.forEach(file -> siblings.merge(parent(file), 1, Integer::sum));
    Map<Path, Map<String, Found>> listed = new HashMap<>();
    for (Path file : files) {
      Path parent = parent(file);
      Found found = null;
      if (siblings.get(parent) >= MANY) {
        if (!listed.containsKey(parent)) {
          listed.put(parent, list(parent));
        }
        found = listed.get(parent).get(file.getName());
      }
      add(file, found == null ? look(file) : found);
    }
  }

  private static Path parent(Path file) {
    return file.isRoot() ? file : file.getParent();
  }

  private void add(Path file, Found found) throws IOException {
    if (found.isDirectory()) {
      Set<Path> inside = new LinkedHashSet<>();
      for (FileStatus status : file.getFileSystem(conf).listStatus(file)) {
        String name = status.getPath().getName();
        if (!name.startsWith("_") && !name.startsWith(".")) {
          inside.add(status.getPath());
        }
      }
      addAll(inside);
    } else {
      inputs.putIfAbsent(found.input(), inputs.size());
      int place = inputs.get(found.input());
      places.put(file, place);
      paths.add(
          InputPath.newBuilder()
              .setPath(file.getFileSystem(conf).makeQualified(file).toString())
              .setInput(place)
              .build());
    }
  }

  /** What is at a path; a directory is no input. */
  private record Found(DependencyInput input, boolean isDirectory) {}

  private Found look(Path file) throws IOException {
    FileSystem files = file.getFileSystem(conf);
    Path path = files.makeQualified(file);
    String here = store.names().apply(path.toUri());
    return here == null
        ? outside(files.getFileStatus(path))
        : inside(store.client().namespace().stat(here));
  }

  private Map<String, Found> list(Path directory) throws IOException {
    Map<String, Found> found = new HashMap<>();
    FileSystem files = directory.getFileSystem(conf);
    Path path = files.makeQualified(directory);
    String here = store.names().apply(path.toUri());
    if (here == null) {
      for (FileStatus status : files.listStatus(path)) {
        found.put(status.getPath().getName(), outside(status));
      }
    } else {
      store.client().namespace().list(here, entry -> found.put(entry.getName(), inside(entry)));
    }
    return found;
  }

  private static Found inside(FileEntry entry) {
    return new Found(
        DependencyInput.newBuilder().setFid(entry.getFid()).build(), entry.getDirectory());
  }

  private static Found outside(FileStatus status) {
    OutsideInput input =
        OutsideInput.newBuilder()
            .setUri(status.getPath().toUri().toString())
            .setLength(status.getLen())
            .setModifiedMs(status.getModificationTime())
            .build();
    return new Found(DependencyInput.newBuilder().setOutside(input).build(), status.isDirectory());
  }

  /** What the record has as its inputs. */
  List<DependencyInput> inputs() {
    return List.copyOf(inputs.keySet());
  }

  /** Which of them each map task reads, if each reads exactly one that is a file; else none. */
  List<Integer> ofMaps() {
    return places.keySet().containsAll(bySplit)
        ? bySplit.stream().map(places::get).toList()
        : List.of();
  }

  /** What the job calls them. */
  List<InputPath> paths() {
    return paths;
  }
}
