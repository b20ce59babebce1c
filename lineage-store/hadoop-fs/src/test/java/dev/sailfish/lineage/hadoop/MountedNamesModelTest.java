package dev.sailfish.lineage.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.lineage.client.StoreClient;
import dev.sailfish.lineage.client.StoreRefusedException;
import dev.sailfish.lineage.protocol.wire.CreateFile;
import dev.sailfish.lineage.protocol.wire.FileEntry;
import dev.sailfish.testkit.Seeded;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random changes through the store and past it, of a mount that is looked at each time. After each,
 * the store lists what a model expects: what is below, and what is only in memory.
 */
@Seeded
class MountedNamesModelTest {
  private static final int HISTORIES = 12;
  private static final int STEPS = 60;
  private static final int MEMORY_LENGTH = 0;

  @TempDir Path below;

  private Random random;
  private StoreClient client;
  private String root;

  /** Files and directories that are only in memory, or hide what is below. */
  private final TreeSet<String> files = new TreeSet<>();

  private final TreeSet<String> directories = new TreeSet<>();

  /** Those of the files that hide an older one below, which goes with them. */
  private final TreeSet<String> hiding = new TreeSet<>();

  @RepeatedTest(HISTORIES)
  void listsWhatIsBelowAndInMemory(Random seeded) throws IOException {
    random = seeded;
    client = SharedStore.client();
    root = "/model-%016x".formatted(random.nextLong());
    client.mounts().add(root + " " + below.toUri() + " sync=0s");
    List<String> steps = new ArrayList<>();
    for (int i = 0; i < STEPS; i++) {
      steps.add(step());
      settle();
      assertThat(listed("")).as("steps=%s", steps).isEqualTo(expected());
    }
    client.mounts().remove(root, true);
    client.close();
  }

  private String step() throws IOException {
    return switch (random.nextInt(9)) {
      case 0 -> writeBelow(anyFile());
      case 1 -> removeBelow(random.nextBoolean() ? anyFile() : anyDirectory());
      case 2 -> makeBelow(anyDirectory());
      case 3, 4 -> create(anyFile());
      case 5 -> delete(random.nextBoolean() ? anyFile() : anyDirectory());
      case 6 -> renameFile(anyFile(), anyFile());
      case 7 -> renameDirectory(anyDirectory(), anyDirectory());
      default -> make(anyDirectory());
    };
  }

  private String anyDirectory() {
    StringBuilder path = new StringBuilder();
    for (int depth = 1 + random.nextInt(2); depth > 0; depth--) {
      path.append("/d").append(random.nextInt(3));
    }
    return path.toString();
  }

  private String anyFile() {
    return (random.nextInt(3) == 0 ? "" : anyDirectory()) + "/f" + random.nextInt(3);
  }

  private Path at(String path) {
    return below.resolve(path.substring(Math.min(1, path.length())));
  }

  private boolean isThere(String path) {
    return files.contains(path) || directories.contains(path) || Files.exists(at(path));
  }

  private static String parent(String path) {
    return path.substring(0, path.lastIndexOf('/'));
  }

  private static Predicate<String> within(String directory) {
    return path -> path.equals(directory) || path.startsWith(directory + "/");
  }

  // ---- past the store

  private String writeBelow(String path) throws IOException {
    Files.createDirectories(at(path).getParent());
    Path fresh = below.resolveSibling("fresh-" + random.nextLong());
    Files.write(fresh, new byte[1 + random.nextInt(9)]);
    Files.move(fresh, at(path), StandardCopyOption.REPLACE_EXISTING);
    return "write below " + path;
  }

  private String makeBelow(String path) throws IOException {
    Files.createDirectories(at(path));
    return "make below " + path;
  }

  private String removeBelow(String path) throws IOException {
    if (Files.exists(at(path))) {
      try (Stream<Path> tree = Files.walk(at(path))) {
        for (Path file : tree.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
      hiding.removeIf(within(path));
    }
    return "remove below " + path;
  }

  // ---- through the store

  private String create(String path) throws IOException {
    boolean replace = random.nextBoolean();
    CreateFile asked =
        CreateFile.newBuilder()
            .setPath(root + path)
            .setMode(0644)
            .setMakeParents(true)
            .setParentMode(0755)
            .setBlockSizeLog(20)
            .setReplace(replace)
            .build();
    if (isThere(path) && !replace) {
      assertThatThrownBy(() -> client.namespace().create(asked))
          .isInstanceOf(StoreRefusedException.class);
      return "create again " + path;
    }
    FileEntry file = client.namespace().create(asked).getEntry();
    client.namespace().complete(file.getFid(), MEMORY_LENGTH, List.of());
    if (Files.exists(at(path)) && !files.contains(path)) {
      hiding.add(path);
    }
    files.add(path);
    for (String above = parent(path); !above.isEmpty(); above = parent(above)) {
      directories.add(above);
    }
    return "create " + path;
  }

  private String make(String path) throws IOException {
    client.namespace().makeDirectories(root + path, 0755);
    for (String above = path; !above.isEmpty(); above = parent(above)) {
      directories.add(above);
    }
    return "make " + path;
  }

  private String delete(String path) throws IOException {
    if (!isThere(path)) {
      assertThatThrownBy(() -> client.namespace().delete(root + path, true))
          .isInstanceOf(StoreRefusedException.class);
      return "delete nothing " + path;
    }
    client.namespace().delete(root + path, true);
    boolean isOnlyHere = files.contains(path) && !hiding.contains(path);
    if (!isOnlyHere) {
      removeBelow(path);
    }
    files.removeIf(within(path));
    directories.removeIf(within(path));
    hiding.removeIf(within(path));
    return "delete " + path;
  }

  private String renameFile(String from, String to) throws IOException {
    boolean isParent = to.lastIndexOf('/') == 0 || isThere(parent(to));
    // Somebody has made a file below that the store does not know: its own to be refused.
    boolean isInTheWay =
        files.contains(to) && !hiding.contains(to) && Files.exists(at(to)) && !files.contains(from);
    if (from.equals(to) || !isThere(from) || !isParent || isInTheWay) {
      return "nothing";
    }
    boolean isKnownThere = isThere(to) && (!files.contains(to) || hiding.contains(to));
    client.namespace().rename(root + from, root + to, true);
    if (files.remove(from)) {
      if (hiding.remove(from)) {
        assertThat(at(from)).doesNotExist();
      }
      files.add(to);
      hiding.remove(to);
      if (isKnownThere) {
        hiding.add(to);
      }
    } else {
      files.remove(to);
      hiding.remove(to);
      Files.createDirectories(at(to).getParent());
      assertThat(at(from)).doesNotExist();
      assertThat(at(to)).exists();
    }
    return "rename " + from + " " + to;
  }

  private String renameDirectory(String from, String to) throws IOException {
    boolean isParent = to.lastIndexOf('/') == 0 || isThere(parent(to));
    if (!isThere(from) || isThere(to) || !isParent || within(from).test(to)) {
      return "nothing";
    }
    boolean isBelow = Files.exists(at(from));
    client.namespace().rename(root + from, root + to, false);
    move(files, from, to);
    move(directories, from, to);
    move(hiding, from, to);
    assertThat(Files.exists(at(to))).isEqualTo(isBelow);
    assertThat(at(from)).doesNotExist();
    return "rename " + from + " " + to;
  }

  private static void move(TreeSet<String> paths, String from, String to) {
    List<String> moved = paths.stream().filter(within(from)).toList();
    paths.removeAll(moved);
    moved.forEach(path -> paths.add(to + path.substring(from.length())));
  }

  // ---- what is expected

  /** A directory of the store that is below, too, goes with the one below if nothing is in it. */
  private void settle() {
    directories.removeIf(path -> Files.exists(at(path)));
    List<String> inMemory = new ArrayList<>(files);
    inMemory.addAll(directories);
    for (String file : inMemory) {
      for (String above = parent(file); !above.isEmpty(); above = parent(above)) {
        if (!Files.exists(at(above))) {
          directories.add(above);
        }
      }
    }
  }

  private Map<String, Long> expected() throws IOException {
    Map<String, Long> expected = new TreeMap<>();
    try (Stream<Path> tree = Files.walk(below)) {
      for (Path file : tree.toList()) {
        String path = "/" + below.relativize(file);
        expected.put(path, Files.isDirectory(file) ? -1 : Files.size(file));
      }
    }
    expected.remove("/");
    directories.forEach(path -> expected.put(path, -1L));
    files.forEach(path -> expected.put(path, (long) MEMORY_LENGTH));
    return expected;
  }

  private Map<String, Long> listed(String directory) throws IOException {
    Map<String, Long> listed = new TreeMap<>();
    List<FileEntry> entries = new ArrayList<>();
    client.namespace().list(root + directory, entries::add);
    for (FileEntry entry : entries) {
      String path = directory + "/" + entry.getName();
      listed.put(path, entry.getDirectory() ? -1 : entry.getLength());
      if (entry.getDirectory()) {
        listed.putAll(listed(path));
      }
    }
    return listed;
  }
}
