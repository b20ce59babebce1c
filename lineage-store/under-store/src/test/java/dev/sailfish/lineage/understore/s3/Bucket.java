package dev.sailfish.lineage.understore.s3;

import java.io.ByteArrayOutputStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Objects by key, and uploads that are not complete. Thread-safe. */
public final class Bucket {
  /** S3's times are whole seconds; these go on by one with each change, and stay behind ours. */
  private long seconds = Instant.now().getEpochSecond() - 20_000;

  private final TreeMap<String, StoredObject> objects = new TreeMap<>();
  private final Map<String, TreeMap<Integer, StoredObject>> uploads = new TreeMap<>();
  private int nextUpload;

  /** A condition on the object that is there: {@code If-None-Match: *}, {@code If-Match: etag}. */
  public record Condition(boolean absent, Optional<String> etag) {
    public static final Condition NONE = new Condition(false, Optional.empty());
  }

  /** A page of a listing: keys, common prefixes, and behind which name the next one begins. */
  public record Page(
      Map<String, StoredObject> objects, List<String> prefixes, Optional<String> next) {}

  public synchronized Optional<StoredObject> get(String key) {
    return Optional.ofNullable(objects.get(key));
  }

  /** Returns nothing when the condition does not hold. */
  public synchronized Optional<StoredObject> put(String key, byte[] content, Condition condition) {
    return put(key, StoredObject.of(content, now()), condition);
  }

  private Optional<StoredObject> put(String key, StoredObject object, Condition condition) {
    StoredObject old = objects.get(key);
    boolean holds =
        !(condition.absent() && old != null)
            && condition.etag().map(tag -> old != null && tag.equals(old.etag())).orElse(true);
    if (!holds) {
      return Optional.empty();
    }
    objects.put(key, object);
    return Optional.of(object);
  }

  private Instant now() {
    return Instant.ofEpochSecond(seconds++);
  }

  public synchronized void delete(String key) {
    objects.remove(key);
  }

  public synchronized List<String> keys() {
    return List.copyOf(objects.keySet());
  }

  public synchronized Page list(String prefix, String delimiter, String after, int most) {
    TreeMap<String, StoredObject> page = new TreeMap<>();
    List<String> prefixes = new ArrayList<>();
    String last = "";
    for (String key : objects.tailMap(prefix).keySet()) {
      if (!key.startsWith(prefix)) {
        break;
      }
      int end = delimiter.isEmpty() ? -1 : key.indexOf(delimiter, prefix.length());
      String name = end < 0 ? key : key.substring(0, end + delimiter.length());
      boolean before = name.compareTo(after) <= 0 || name.equals(last);
      if (!before && page.size() + prefixes.size() == most) {
        return new Page(page, prefixes, Optional.of(last));
      }
      if (!before) {
        last = name;
        if (end < 0) {
          page.put(key, objects.get(key));
        } else {
          prefixes.add(name);
        }
      }
    }
    return new Page(page, prefixes, Optional.empty());
  }

  public synchronized String beginUpload() {
    String id = "upload-" + nextUpload++;
    uploads.put(id, new TreeMap<>());
    return id;
  }

  /** Returns the part's etag; nothing when there is no such upload. */
  public synchronized Optional<String> putPart(String upload, int number, byte[] content) {
    StoredObject part = StoredObject.of(content, Instant.EPOCH);
    return Optional.ofNullable(uploads.get(upload))
        .map(
            parts -> {
              parts.put(number, part);
              return part.etag();
            });
  }

  public synchronized void abortUpload(String upload) {
    uploads.remove(upload);
  }

  public synchronized int uploads() {
    return uploads.size();
  }

  /** Returns nothing when the condition does not hold. */
  public synchronized Optional<StoredObject> complete(
      String key, String upload, Condition condition) {
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    TreeMap<Integer, StoredObject> parts = uploads.get(upload);
    parts.values().forEach(part -> whole.writeBytes(part.content()));
    String etag = StoredObject.md5(whole.toByteArray()) + "-" + parts.size();
    StoredObject object = new StoredObject(whole.toByteArray(), etag, now());
    Optional<StoredObject> made = put(key, object, condition);
    if (made.isPresent()) {
      uploads.remove(upload);
    }
    return made;
  }
}
