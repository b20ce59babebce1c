package dev.sailfish.lineage.edge.checkpoint;

import static dev.sailfish.lineage.edge.checkpoint.FileTable.NONE;

import dev.sailfish.lineage.edge.checkpoint.DependencyTable.Row;
import java.util.OptionalLong;
import java.util.function.LongPredicate;

/**
 * The Edge algorithm (section 4.1 of the paper). In this order:
 *
 * <ol>
 *   <li><b>Hot files</b>, that were read more often than {@link EdgeSettings#hotReads}: those with
 *       most reads first. While leaves wait too, both take turns, so that leaves get the fraction
 *       {@link EdgeSettings#edgeShare} of the time.
 *   <li><b>The edge</b>: all leaves of the lineage graph at one moment, in the order in which they
 *       became leaves. When all of it is written, or being written, the leaves of that moment are
 *       the next edge. By the paper's letter a file of the edge is written even if it is not a leaf
 *       any more. With {@link EdgeSettings#isPatient} what was made of it takes its place, unless
 *       another job that reads it runs, or something that was made with it was written; it is back
 *       at the beginning of the edge when another job reads it.
 *   <li><b>The rest</b>, when there is no leaf: files of which nothing was made that is not
 *       checkpointed, those first that came into this state last. So the graph is written from its
 *       end to its beginning.
 * </ol>
 *
 * Files that are deleted before their turn are never written. With {@link EdgeSettings#isPatient},
 * and while nothing is being written and no hot file waits, an old leaf waits for what is made of
 * it, and the rest waits for a leaf, where that is better: see {@link Patience}.
 *
 * <p>What the bound of the paper's Theorem 1 (section 4.2) is worth, and for which graphs it holds,
 * is in docs/LINEAGE.md.
 *
 * <p><b>Cost.</b> Each event takes constant time, and for a hot file a time in proportion to the
 * logarithm of their number; recording a dependency and its end a time in proportion to its inputs
 * and outputs. {@link #next} takes constant time. Memory is at the package.
 */
public final class EdgePolicy implements CheckpointPolicy {
  private static final int WRITE_SHIFT = 10;
  private static final int WRITE_MASK = 0b11;

  /** Something took the file's place in the edge. */
  private static final int PASSED = 1 << 12;

  /** It was in the edge when its write began. */
  private static final int OF_EDGE = 1 << 13;

  /** For what the time of a write counts. */
  private enum Write {
    /** There was no rival. */
    FREE,
    /** Of the edge, while a hot file waited. */
    EDGE,
    /** Of a hot file, while leaves waited. */
    HOT
  }

  private static final Write[] WRITES = Write.values();

  private final EdgeSettings settings;
  private final FileTable files = new FileTable();
  private final LineageGraph graph = new LineageGraph(files, new GraphListener());
  private final WaitingLists lists = new WaitingLists(files);
  private final HotFiles hot = new HotFiles(files);
  private final EdgeShare share;
  private final Patience patience = new Patience();
  private int writing;

  /** A policy that knows no file. */
  public EdgePolicy(EdgeSettings settings) {
    this.settings = settings;
    share = new EdgeShare(settings.edgeShare());
  }

  /** How many edges there have been, the present one included. */
  public long edges() {
    return lists.edges();
  }

  /** How many files of the present edge wait still. */
  public int edgeFiles() {
    return lists.edgeSize();
  }

  /** Files that the policy knows, deleted ones included of which others were made. */
  public int files() {
    return graph.files();
  }

  /** Dependencies that the policy knows. */
  public int dependencies() {
    return graph.dependencies();
  }

  @Override
  public void submitted(long[] inputs, long[] outputs, long nowNs) {
    graph.at(nowNs);
    graph.submitted(inputs, outputs);
  }

  @Override
  public void began(long dependency, long[] inputs, long nowNs) {
    graph.at(nowNs);
    graph.began(dependency, inputs);
  }

  @Override
  public void grew(long dependency, long output) {
    graph.grew(dependency, output);
  }

  @Override
  public void sealed(long dependency, long nowNs) {
    graph.at(nowNs);
    graph.sealed(dependency);
  }

  @Override
  public void completed(long fid, long nowNs) {
    graph.at(nowNs);
    int slot = graph.findOrAdd(fid);
    FileState state = graph.state(slot);
    if (state == FileState.EXPECTED || state == FileState.LOST) {
      graph.move(slot, FileState.WAITING);
    }
  }

  @Override
  public void read(long fid) {
    int slot = files.find(fid);
    if (slot != NONE && files.get(slot, FileTable.READS) < Integer.MAX_VALUE) {
      files.add(slot, FileTable.READS, 1);
      changed(slot);
    }
  }

  @Override
  public OptionalLong next(long nowNs) {
    int first = firstToWrite(nowNs);
    return first == NONE ? OptionalLong.empty() : OptionalLong.of(files.fid(first));
  }

  @Override
  public OptionalLong askAgainNs() {
    return patience.untilNs();
  }

  @Override
  public boolean isWaiting(long fid) {
    int slot = files.find(fid);
    return slot != NONE && graph.state(slot) == FileState.WAITING;
  }

  /** Hot files first, though leaves take turns with them. */
  @Override
  public void showWaiting(LongPredicate visitor) {
    if (hot.show(slot -> visitor.test(files.fid(slot)))) {
      lists.show(slot -> files.get(slot, FileTable.HEAP) != NONE || visitor.test(files.fid(slot)));
    }
  }

  private int firstToWrite(long nowNs) {
    int ofEdge = lists.firstOfEdge();
    int hottest = hot.first();
    patience.edge(lists.edges());
    if (ofEdge == NONE || hottest == NONE) {
      share.forget();
    }
    if (waits(ofEdge, hottest, nowNs)) {
      return NONE;
    }
    if (ofEdge == NONE) {
      return hottest == NONE ? lists.firstOfRest() : hottest;
    }
    return hottest != NONE && share.isHotsTurn() ? hottest : ofEdge;
  }

  /** Whether a leaf of the edge, or without one the rest, is better not written yet. */
  private boolean waits(int ofEdge, int hottest, long nowNs) {
    boolean isAlone =
        settings.isPatient() && hottest == NONE && writing == 0 && nowNs != UNKNOWN_NS;
    if (isAlone && ofEdge == NONE && lists.firstOfRest() != NONE) {
      return patience.restWaits(nowNs);
    }
    Row maker = isAlone && ofEdge != NONE ? graph.maker(ofEdge) : null;
    Row next = maker == null || maker.begun > 0 || !maker.isDone() ? null : next(ofEdge);
    if (next == null || has(ofEdge, PASSED)) {
      patience.stop();
      return false;
    }
    int chains = Math.max(1, 1 + lists.leaves() - maker.pending);
    return patience.leafWaits(next, chains, nowNs);
  }

  /** The job that reads a file and that runs, or null. */
  private Row next(int slot) {
    Row maker = graph.maker(slot);
    Row next = maker == null || !graph.isBeingRead(slot) ? null : maker.reader;
    return next == null || !next.isRunning() ? null : next;
  }

  @Override
  public void started(long fid, long nowNs) {
    int slot = files.find(fid);
    if (slot == NONE) {
      throw new IllegalStateException("file %016x is not known".formatted(fid));
    }
    boolean isHot = files.get(slot, FileTable.HEAP) != NONE;
    boolean ofEdge = lists.inEdge(slot);
    set(slot, OF_EDGE, ofEdge);
    patience.started(graph.maker(slot), next(slot), nowNs);
    Row maker = graph.maker(slot);
    move(slot, FileState.WRITING);
    if (maker != null) {
      maker.begun++;
    }
    if (ofEdge) {
      setWrite(slot, hot.first() == NONE ? Write.FREE : Write.EDGE);
    } else {
      setWrite(slot, isHot && lists.hasLeaves() ? Write.HOT : Write.FREE);
    }
  }

  @Override
  public void checkpointed(long fid, long spentNs) {
    int slot = files.find(fid);
    if (slot == NONE || graph.state(slot) == FileState.DELETED) {
      return;
    }
    count(slot, spentNs);
    patience.written(spentNs);
    if (graph.state(slot) != FileState.CHECKPOINTED) {
      move(slot, FileState.CHECKPOINTED);
    }
  }

  @Override
  public void failed(long fid, long spentNs) {
    int slot = files.find(fid);
    if (slot != NONE && graph.state(slot) == FileState.WRITING) {
      count(slot, spentNs);
      move(slot, FileState.WAITING);
    }
  }

  @Override
  public void returned(long fid) {
    int slot = files.find(fid);
    if (slot != NONE && graph.state(slot) == FileState.WRITING) {
      failed(fid, 0);
      Row maker = graph.maker(slot);
      if (maker != null) {
        maker.begun--;
      }
      boolean wasOfEdge = has(slot, OF_EDGE);
      boolean isBegun = maker != null && maker.begun > 0;
      boolean keepsPlace =
          !settings.isPatient() || isBegun || has(slot, PASSED) || graph.isBeingRead(slot);
      if (lists.isWithLeaves(slot) || wasOfEdge && keepsPlace) {
        lists.putFirst(slot);
      } else if (wasOfEdge) {
        set(slot, PASSED, true);
      }
    }
  }

  private boolean has(int slot, int bit) {
    return (files.get(slot, FileTable.STATE) & bit) != 0;
  }

  private void set(int slot, int bit, boolean isSet) {
    int word = files.get(slot, FileTable.STATE);
    files.set(slot, FileTable.STATE, isSet ? word | bit : word & ~bit);
  }

  @Override
  public void lost(long fid) {
    int slot = files.find(fid);
    if (slot != NONE && graph.state(slot).next().contains(FileState.LOST)) {
      move(slot, FileState.LOST);
    }
  }

  @Override
  public void deleted(long fid) {
    int slot = files.find(fid);
    if (slot != NONE && graph.state(slot) != FileState.DELETED) {
      move(slot, FileState.DELETED);
    }
  }

  private void move(int slot, FileState next) {
    writing -= graph.state(slot) == FileState.WRITING ? 1 : 0;
    writing += next == FileState.WRITING ? 1 : 0;
    graph.move(slot, next);
  }

  /** Keeps lists and estimates as the graph is. */
  private final class GraphListener implements LineageGraph.Listener {
    @Override
    public void changed(int slot) {
      EdgePolicy.this.changed(slot);
    }

    @Override
    public void recorded(Row row) {
      Row last = null;
      for (int input : row.inputs) {
        Row maker = graph.maker(input);
        boolean isKnown = maker != null && maker.meanNs > 0 && maker.sinceNs != UNKNOWN_NS;
        boolean isLater = isKnown && (last == null || maker.sinceNs - last.sinceNs > 0);
        last = isLater ? maker : last;
        comeBack(input);
      }
      if (last != null) {
        patience.recorded(row, last);
      }
    }

    @Override
    public void done(Row row, int[] outputs) {
      patience.done(row, graph.nowNs());
      if (settings.isPatient()) {
        takePlace(row.inputs, outputs);
      }
    }
  }

  /** A file that lost its place to what was made of it is read again: it keeps the next one. */
  private void comeBack(int slot) {
    if (has(slot, PASSED) && graph.state(slot) == FileState.WAITING && !lists.isWithLeaves(slot)) {
      lists.putFirst(slot);
    }
  }

  /** What was made of leaves has their place in the edge, unless these are to be written still. */
  private void takePlace(int[] inputs, int[] outputs) {
    int place = NONE;
    for (int input : inputs) {
      boolean isFirst = place == NONE || lists.inEdge(input) && !lists.inEdge(place);
      place = isFirst && canBePassed(input) ? input : place;
    }
    if (place == NONE) {
      return;
    }
    for (int output : outputs) {
      if (graph.state(output) == FileState.WAITING && mayMove(place, output)) {
        lists.moveBefore(place, output);
      }
    }
    for (int input : inputs) {
      if (canBePassed(input)) {
        set(input, PASSED, true);
        lists.remove(input);
      }
    }
  }

  /** The next edge takes leaves alone, and none from the edge before it. */
  private boolean mayMove(int place, int output) {
    return lists.inEdge(place) || graph.isLeaf(output) && !lists.inEdge(output);
  }

  /** It waits with the leaves, nothing that was made with it is written, and no other job runs. */
  private boolean canBePassed(int slot) {
    Row maker = graph.maker(slot);
    int running = files.get(slot, FileTable.READERS) - files.get(slot, FileTable.DONE);
    boolean isBegun = maker != null && maker.begun > 0;
    return lists.isWithLeaves(slot) && running == 1 && !isBegun && !has(slot, PASSED);
  }

  /** Puts a file of which something changed where it belongs. */
  private void changed(int slot) {
    if (graph.state(slot) != FileState.WAITING) {
      lists.remove(slot);
      hot.remove(slot);
      return;
    }
    if (files.get(slot, FileTable.READS) > settings.hotReads()) {
      hot.put(slot);
    }
    if (graph.isLeaf(slot)) {
      lists.putWithLeaves(slot);
    } else if (graph.isLeafOfRest(slot)) {
      lists.putWithRest(slot);
    } else {
      lists.removeUnlessInEdge(slot);
    }
  }

  private void count(int slot, long spentNs) {
    switch (WRITES[files.get(slot, FileTable.STATE) >> WRITE_SHIFT & WRITE_MASK]) {
      case FREE -> {}
      case EDGE -> share.edgeWritten(spentNs);
      case HOT -> share.hotWritten(spentNs);
    }
    setWrite(slot, Write.FREE);
  }

  private void setWrite(int slot, Write write) {
    int word = files.get(slot, FileTable.STATE) & ~(WRITE_MASK << WRITE_SHIFT);
    files.set(slot, FileTable.STATE, word | write.ordinal() << WRITE_SHIFT);
  }
}
