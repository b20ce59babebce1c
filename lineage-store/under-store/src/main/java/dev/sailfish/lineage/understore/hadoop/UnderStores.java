package dev.sailfish.lineage.understore.hadoop;

import dev.sailfish.ground.wire.Clock;
import dev.sailfish.lineage.understore.UnderStore;
import dev.sailfish.lineage.understore.mount.Mount;
import java.io.Closeable;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The under stores that a process uses: each mount is opened once, and for each of its users once.
 * What nobody uses is kept for the next one who asks, up to a number of users. Thread-safe.
 */
public final class UnderStores implements Closeable {
  /** Users' views that stay open without anybody using them. */
  private static final int MOST_IDLE = 64;

  private final Clock clock;
  private final Map<Mount, HadoopMount> mounts = new HashMap<>();
  private final Map<View, Opened> views = new LinkedHashMap<>(16, 0.75f, true);
  private boolean closed;

  /**
   * @param user empty: that of this process
   */
  private record View(Mount mount, String user) {}

  private static final class Opened {
    private final UnderStore store;
    private int uses;

    Opened(UnderStore store) {
      this.store = store;
    }
  }

  /** An under store for as long as this is open. */
  public final class Use implements Closeable {
    private final View view;
    private final Opened opened;
    private boolean ended;

    private Use(View view, Opened opened) {
      this.view = view;
      this.opened = opened;
    }

    /** What was asked for; not to be closed. */
    public UnderStore store() {
      return opened.store;
    }

    /** Its readers and writers must be closed before. */
    @Override
    public void close() {
      synchronized (UnderStores.this) {
        if (!ended) {
          ended = true;
          opened.uses--;
          views.get(view); // the latest to be used
          trim();
        }
      }
    }
  }

  /**
   * @param clock by which calls below have their deadlines
   */
  public UnderStores(Clock clock) {
    this.clock = clock;
  }

  /**
   * The under store of a mount as a user sees it; asks nothing below.
   *
   * @throws IOException when it cannot be had: no such user, or no Hadoop in the class path
   */
  public Use use(Mount mount, String user) throws IOException {
    return use(new View(mount, user));
  }

  /** The same as the user of this process sees it. */
  public Use use(Mount mount) throws IOException {
    return use(new View(mount, ""));
  }

  private synchronized Use use(View view) throws IOException {
    if (closed) {
      throw new IOException("under stores are closed: this process ends");
    }
    Opened opened = views.get(view);
    if (opened == null) {
      opened = new Opened(open(view.mount, view.user));
      views.put(view, opened);
    }
    opened.uses++;
    return new Use(view, opened);
  }

  private UnderStore open(Mount mount, String user) throws IOException {
    try {
      HadoopMount opened = mounts.computeIfAbsent(mount, at -> new HadoopMount(at, clock));
      return user.isEmpty() ? opened.asProcess() : opened.as(user);
    } catch (NoClassDefFoundError e) {
      throw new IOException(
          "mount "
              + mount
              + " needs Hadoop's jars, which this daemon does not have: set SAILFISH_HADOOP_LIB to"
              + " where they are and start it again",
          e);
    }
  }

  /** Closes what was opened for mounts that are there no more, once nobody uses it. */
  public synchronized void keep(Collection<Mount> known) {
    views.entrySet().removeIf(entry -> isLeft(entry, !known.contains(entry.getKey().mount)));
    Set<Mount> used = new HashSet<>(known);
    views.keySet().forEach(view -> used.add(view.mount));
    for (Iterator<HadoopMount> all = mounts.values().iterator(); all.hasNext(); ) {
      HadoopMount mount = all.next();
      if (!used.contains(mount.mount())) {
        all.remove();
        mount.close();
      }
    }
  }

  private void trim() {
    long idle = views.values().stream().filter(opened -> opened.uses == 0).count();
    for (Iterator<Map.Entry<View, Opened>> all = views.entrySet().iterator(); idle > MOST_IDLE; ) {
      if (isLeft(all.next(), true)) {
        all.remove();
        idle--;
      }
    }
  }

  private static boolean isLeft(Map.Entry<View, Opened> entry, boolean isUnwanted) {
    boolean isLeft = isUnwanted && entry.getValue().uses == 0;
    if (isLeft) {
      entry.getValue().store.close();
    }
    return isLeft;
  }

  /** Does not wait, and closes what is used, too. */
  @Override
  public synchronized void close() {
    closed = true;
    views.values().forEach(opened -> opened.store.close());
    views.clear();
    mounts.values().forEach(HadoopMount::close);
    mounts.clear();
  }
}
