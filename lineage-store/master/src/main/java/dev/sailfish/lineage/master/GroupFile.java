package dev.sailfish.lineage.master;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The groups of users, by a file in the format of {@code /etc/group}: {@code
 * name:password:number:member,member}. A user is in the groups that name him as a member. Read
 * again by {@link #refresh} when it has changed; when it cannot be read then, what it said before
 * counts on. Thread-safe.
 */
final class GroupFile {
  private static final Logger LOG = LoggerFactory.getLogger(GroupFile.class);
  private static final int MEMBERS = 3;

  private final Optional<Path> file;
  private FileTime modified;
  private volatile Map<String, List<String>> groups = Map.of();

  private GroupFile(Optional<Path> file) {
    this.file = file;
  }

  /**
   * Reads the file.
   *
   * @param file absent: nobody is in a group
   * @throws IOException when it cannot be read
   */
  static GroupFile open(Optional<Path> file) throws IOException {
    GroupFile opened = new GroupFile(file);
    if (file.isPresent()) {
      opened.read(file.get());
    }
    return opened;
  }

  private synchronized void read(Path path) throws IOException {
    FileTime time = Files.getLastModifiedTime(path);
    if (time.equals(modified)) {
      return;
    }
    Map<String, List<String>> read = new HashMap<>();
    for (String line : Files.readAllLines(path, StandardCharsets.UTF_8)) {
      String[] fields = line.strip().split(":", -1);
      if (fields.length <= MEMBERS || fields[0].isEmpty() || line.startsWith("#")) {
        continue;
      }
      for (String member : fields[MEMBERS].split(",")) {
        if (!member.isBlank()) {
          read.computeIfAbsent(member.strip(), user -> new ArrayList<>()).add(fields[0]);
        }
      }
    }
    groups = read;
    modified = time;
  }

  /** Reads the file again if it has changed. */
  void refresh() {
    try {
      if (file.isPresent()) {
        read(file.get());
      }
    } catch (IOException e) {
      LOG.warn("groups cannot be read again, those that were read before count: {}", e.toString());
    }
  }

  /** The groups of a user; nobody changes the list. */
  List<String> of(String user) {
    return groups.getOrDefault(user, List.of());
  }
}
