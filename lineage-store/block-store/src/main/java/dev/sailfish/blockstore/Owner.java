package dev.sailfish.blockstore;

import dev.sailfish.blockstore.file.SegmentFileName;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One tenant of a {@link BlockStore}: its segments, by name, and its share of the tiers. Owners
 * neither see each other's segments nor use each other's share; the pool of warm memory is common,
 * so reused memory may show another owner's old bytes.
 *
 * <p>Thread-safe. {@link #find} and {@link #acquire} take no lock; allocations and moves run
 * concurrently with each other and with everything on segments.
 */
public final class Owner {
  /** Where as many cannot be moved something else is wrong than these segments. */
  private static final int MOST_FAILURES = 8;

  private final String name;
  private final BlockStore store;

  /** Names in use by a segment or by a running allocation or delete; outlives the map's entry. */
  private final Set<String> names = ConcurrentHashMap.newKeySet();

  private final Map<String, Segment> segments = new ConcurrentHashMap<>();
  private final AtomicLong uses = new AtomicLong();
  private RecoveryReport recovery;

  Owner(String name, BlockStore store) {
    this.name = name;
    this.store = store;
  }

  /** The name in the configuration. */
  public String name() {
    return name;
  }

  /** What of it was found in the directories when the store was opened. */
  public RecoveryReport recovery() {
    return recovery;
  }

  /**
   * A new, empty, open segment, in the preferred tier or else in the next one below that has room;
   * of a tier's directories in that with most room.
   *
   * @param segment its name, matches {@code [A-Za-z0-9._~-]{1,120}}; of no other segment
   * @param capacity bytes it can grow to, in [1, {@link Segment#MAX_CAPACITY}]; only what is
   *     ensured is accounted
   * @param ensured as by {@link Segment#ensure}, in [0, capacity]; with 0 the first growth step is
   * @return the segment, with the store's reference only: who writes while others may delete it
   *     retains it
   * @throws NoSpaceException when no directory can take what is to be ensured
   * @throws IllegalArgumentException when the name or capacity is invalid
   * @throws IllegalStateException when the name is taken or the store is closed
   */
  public Segment allocate(String segment, long capacity, long ensured, Tier preferred)
      throws NoSpaceException {
    return create(SegmentFileName.open(name, segment), capacity, ensured, preferred);
  }

  /**
   * The same for another process of this user to write, through the file and not a mapping of it: a
   * file that is full fails a write, and kills a thread that touches a mapping. It writes as far as
   * is claimed ({@link Segment#claim}) and closes the file; then {@link Segment#takeBack} and a
   * seal follow. Until the seal, over restarts too, nothing here cuts the file or gives it to
   * another segment, so that a writer that lives on does no harm.
   *
   * @param claimed in [1, capacity]
   */
  public Segment lend(String segment, long capacity, long claimed, Tier preferred)
      throws NoSpaceException {
    SegmentFileName open = SegmentFileName.open(name, segment);
    return create(open.as(SegmentFileName.Kind.LENT), capacity, claimed, preferred);
  }

  private Segment create(SegmentFileName fileName, long capacity, long ensured, Tier preferred)
      throws NoSpaceException {
    String segment = fileName.segment();
    SegmentFileName.requireSegmentName(segment);
    if (capacity < 1 || capacity > Segment.MAX_CAPACITY || ensured < 0 || ensured > capacity) {
      throw new IllegalArgumentException(
          String.format(
              "segment name=%s capacity=%d must be in [1, %d], ensured=%d in [0, capacity]",
              segment, capacity, Segment.MAX_CAPACITY, ensured));
    }
    store.enter();
    Segment created = null;
    boolean named = false;
    try {
      named = names.add(segment);
      if (!named) {
        throw new IllegalStateException("segment name=" + segment + " is taken");
      }
      DirectoryChoice.Request request =
          new DirectoryChoice.Request(
              name,
              fileName.fileName(),
              segment,
              capacity,
              ensured,
              fileName.kind() == SegmentFileName.Kind.LENT);
      BackingFile file = store.placement().create(request, tier -> !preferred.isBelow(tier));
      created = Segment.created(this, file, fileName, capacity);
      created.history().used(uses.incrementAndGet());
      segments.put(segment, created);
      return created;
    } finally {
      if (named && created == null) {
        names.remove(segment);
      }
      store.leave();
    }
  }

  /** The segment of that name; retain it before use when others may delete or move it. */
  public Optional<Segment> find(String segment) {
    return Optional.ofNullable(segments.get(segment));
  }

  /**
   * The segment of that name, wherever it is now, with a reference for the caller, who owes a
   * {@link Segment#release}; null when there is none. Counts as a use for {@link EvictionOrder}.
   */
  public Segment acquire(String segment) {
    Segment found = segments.get(segment);
    while (found != null && !found.tryRetain()) {
      Segment now = segments.get(segment);
      found = now == found ? null : now; // deleted at this moment, or moved
    }
    if (found != null) {
      found.history().used(uses.incrementAndGet());
    }
    return found;
  }

  /** A sorted snapshot of the names of all its segments. */
  public Collection<String> names() {
    return new TreeSet<>(segments.keySet());
  }

  /** A snapshot of its part of the accounting. */
  public StoreUsage usage() {
    return store.usage(name);
  }

  /**
   * Moves a sealed segment to another tier, on the caller's thread: copies it, lets the copy take
   * its name, and frees the original once its readers are done. Whether the segment survives a
   * crash or power failure is at no moment less than the lesser of what the two tiers promise.
   *
   * @return the segment in its new place; empty, and nothing has changed, when it is not sealed,
   *     deleted, there already, being moved, or pinned and would move down
   * @throws NoSpaceException when that tier has no room
   * @throws DamagedSegmentException when its content is not what was sealed
   * @throws IOException on another I/O error; the segment is where it was
   * @throws IllegalStateException when the store is closed
   */
  public Optional<Segment> move(Segment segment, Tier target) throws IOException {
    store.enter();
    try {
      return Optional.ofNullable(new SegmentMove(segment, target).run(store.placement()));
    } finally {
      store.leave();
    }
  }

  /**
   * Moves sealed, unpinned segments out of a tier until {@code bytes} have left it: each to the
   * first tier below with room; where there is none it is deleted if the order allows. Some that
   * cannot be moved for another reason are passed over.
   *
   * @return how many bytes have left, maybe fewer; their room is free when their readers are done
   * @throws IOException when there were such, and others have left all the same
   */
  public long evict(Tier tier, long bytes, EvictionOrder order) throws IOException {
    List<Segment> candidates =
        segments.values().stream()
            .filter(segment -> segment.tier() == tier && segment.isEvictable())
            .toList();
    long left = 0;
    List<Exception> failures = new ArrayList<>();
    for (Segment segment : order.order(candidates)) {
      if (left >= bytes || failures.size() == MOST_FAILURES) {
        break;
      }
      try {
        if (moveDown(segment, order) || delete(segment, order)) {
          left += segment.length();
        }
      } catch (IOException | UncheckedIOException e) {
        failures.add(e);
      }
    }
    if (!failures.isEmpty()) {
      throw new IOException(
          "segments=%d cannot leave tier=%s, others of bytes=%d have: %s"
              .formatted(failures.size(), tier, left, failures.get(0).getMessage()),
          failures.get(0));
    }
    return left;
  }

  private static boolean delete(Segment segment, EvictionOrder order) {
    boolean isDeleted = order.mayDelete(segment) && segment.evict();
    if (isDeleted) {
      order.deleted(segment);
    }
    return isDeleted;
  }

  private boolean moveDown(Segment segment, EvictionOrder order) throws IOException {
    for (Tier target : Tier.values()) {
      if (target.isBelow(segment.tier()) && store.has(target)) {
        try {
          Optional<Segment> moved = move(segment, target);
          moved.ifPresent(order::moved);
          return moved.isPresent();
        } catch (NoSpaceException e) {
          continue; // a lower one may have room
        }
      }
    }
    return false;
  }

  /** Registers a recovered segment. */
  void register(Segment segment) throws IOException {
    Segment other = segments.putIfAbsent(segment.name(), segment);
    if (other != null) {
      throw new IOException(
          String.format(
              "segment name=%s owner=%s is in two files: %s and %s; remove one of them",
              segment.name(), name, other.path(), segment.path()));
    }
    names.add(segment.name());
  }

  void endRecovery() {
    recovery = RecoveryReport.of(segments.values());
  }

  /** Takes a segment out of the namespace; its name stays taken until {@link #releaseName}. */
  void unlist(Segment segment) {
    segments.remove(segment.name(), segment);
  }

  /** Makes a name available again. */
  void releaseName(String segment) {
    names.remove(segment);
  }

  /** Lets the name mean the segment's new place. */
  void replace(Segment original, Segment copy) {
    segments.replace(original.name(), original, copy);
  }

  void close() {
    List.copyOf(segments.values()).forEach(Segment::closeWithStore);
    segments.clear();
  }
}
