package dev.sailfish.ground.journal;

import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Things by name, which can still be read as they were when a snapshot began: what was removed
 * since is remembered, what was added is left out. Beginning costs nothing, however many there are.
 * A thing is never replaced by another one of its name. For one thread.
 */
public final class FreezableMap<V> {
  private final TreeMap<String, V> now = new TreeMap<>();
  private final TreeMap<String, V> removed = new TreeMap<>();
  private final Set<String> added = new HashSet<>();
  private boolean frozen;

  /** The thing with this name, or null. */
  public V get(String name) {
    return now.get(name);
  }

  /** Whether a thing has this name. */
  public boolean containsKey(String name) {
    return now.containsKey(name);
  }

  /** How many there are now. */
  public int size() {
    return now.size();
  }

  /** All names, ascending; a view. */
  public Set<String> keySet() {
    return Collections.unmodifiableSet(now.keySet());
  }

  /** All, by name; a view. */
  public Collection<V> values() {
    return Collections.unmodifiableCollection(now.values());
  }

  /** Adds a thing whose name no other one has. */
  public void add(String name, V value) {
    now.put(name, value);
    if (frozen) {
      added.add(name);
    }
  }

  /** Removes a thing and returns it, or null. */
  public V remove(String name) {
    V value = now.remove(name);
    if (frozen && value != null && !added.remove(name)) {
      removed.put(name, value);
    }
    return value;
  }

  /**
   * What there is now, by name, until {@link #thaw}, whatever is added and removed meanwhile. Looks
   * for each thing only when it is asked for.
   */
  public Stream<V> freeze() {
    frozen = true;
    return Stream.iterate(after(""), Objects::nonNull, entry -> after(entry.getKey()))
        .map(Map.Entry::getValue);
  }

  private Map.Entry<String, V> after(String name) {
    Map.Entry<String, V> stays = now.higherEntry(name);
    while (stays != null && added.contains(stays.getKey())) {
      stays = now.higherEntry(stays.getKey());
    }
    Map.Entry<String, V> gone = removed.higherEntry(name);
    boolean isGone = stays == null || (gone != null && gone.getKey().compareTo(stays.getKey()) < 0);
    return isGone ? gone : stays;
  }

  /** Nobody reads what there was. */
  public void thaw() {
    frozen = false;
    removed.clear();
    added.clear();
  }
}
