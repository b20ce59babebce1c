package dev.sailfish.metaserver;

import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.TreeMap;

/**
 * Things by name, which can still be read as they were when a snapshot began: what was removed
 * since is remembered, what was added is left out. Beginning costs nothing, however many there are.
 * A thing is never replaced by another one of its name.
 */
final class FreezableMap<V> {
  private final TreeMap<String, V> now = new TreeMap<>();
  private final TreeMap<String, V> removed = new TreeMap<>();
  private final Set<String> added = new HashSet<>();
  private boolean frozen;

  /** The thing with this name, or null. */
  V get(String name) {
    return now.get(name);
  }

  boolean containsKey(String name) {
    return now.containsKey(name);
  }

  int size() {
    return now.size();
  }

  /** All names, ascending; a view. */
  Set<String> keySet() {
    return Collections.unmodifiableSet(now.keySet());
  }

  /** All, by name; a view. */
  Collection<V> values() {
    return Collections.unmodifiableCollection(now.values());
  }

  /** Adds a thing whose name no other one has. */
  void add(String name, V value) {
    now.put(name, value);
    if (frozen) {
      added.add(name);
    }
  }

  /** Removes a thing and returns it, or null. */
  V remove(String name) {
    V value = now.remove(name);
    if (frozen && value != null && !added.remove(name)) {
      removed.put(name, value);
    }
    return value;
  }

  /** What there is now, by name, until {@link #thaw}, whatever is added and removed meanwhile. */
  Iterator<V> freeze() {
    frozen = true;
    return new Frozen();
  }

  /** Nobody reads what there was. */
  void thaw() {
    frozen = false;
    removed.clear();
    added.clear();
  }

  private final class Frozen implements Iterator<V> {
    private String last = "";

    private Map.Entry<String, V> find() {
      Map.Entry<String, V> stays = now.higherEntry(last);
      while (stays != null && added.contains(stays.getKey())) {
        stays = now.higherEntry(stays.getKey());
      }
      Map.Entry<String, V> gone = removed.higherEntry(last);
      boolean isGone =
          stays == null || (gone != null && gone.getKey().compareTo(stays.getKey()) < 0);
      return isGone ? gone : stays;
    }

    @Override
    public boolean hasNext() {
      return find() != null;
    }

    @Override
    public V next() {
      Map.Entry<String, V> next = find();
      if (next == null) {
        throw new NoSuchElementException();
      }
      last = next.getKey();
      return next.getValue();
    }
  }
}
