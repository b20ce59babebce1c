package dev.sailfish.lineage.edge.checkpoint;

import static dev.sailfish.lineage.edge.checkpoint.FileTable.NONE;

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
 *       the next edge. A file of the edge is written even if it is not a leaf any more.
 *   <li><b>The rest</b>, when there is no leaf: files of which nothing was made that is not
 *       checkpointed, those first that came into this state last. So the graph is written from its
 *       end to its beginning.
 * </ol>
 *
 * Files that are deleted before their turn are never written.
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
  private final LineageGraph graph = new LineageGraph(files, this::changed);
  private final WaitingLists lists = new WaitingLists(files);
  private final HotFiles hot = new HotFiles(files);
  private final EdgeShare share;

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
  public void submitted(long[] inputs, long[] outputs) {
    graph.submitted(inputs, outputs);
  }

  @Override
  public void began(long dependency, long[] inputs) {
    graph.began(dependency, inputs);
  }

  @Override
  public void grew(long dependency, long output) {
    graph.grew(dependency, output);
  }

  @Override
  public void sealed(long dependency) {
    graph.sealed(dependency);
  }

  @Override
  public void completed(long fid) {
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
  public OptionalLong next() {
    int first = firstToWrite();
    return first == NONE ? OptionalLong.empty() : OptionalLong.of(files.fid(first));
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

  private int firstToWrite() {
    int ofEdge = lists.firstOfEdge();
    int hottest = hot.first();
    if (ofEdge == NONE || hottest == NONE) {
      share.forget();
    }
    if (ofEdge == NONE) {
      return hottest == NONE ? lists.firstOfRest() : hottest;
    }
    return hottest != NONE && share.isHotsTurn() ? hottest : ofEdge;
  }

  @Override
  public void started(long fid) {
    int slot = files.find(fid);
    if (slot == NONE) {
      throw new IllegalStateException("file %016x is not known".formatted(fid));
    }
    boolean isHot = files.get(slot, FileTable.HEAP) != NONE;
    boolean ofEdge = lists.inEdge(slot);
    graph.move(slot, FileState.WRITING);
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
    if (graph.state(slot) != FileState.CHECKPOINTED) {
      graph.move(slot, FileState.CHECKPOINTED);
    }
  }

  @Override
  public void failed(long fid, long spentNs) {
    int slot = files.find(fid);
    if (slot != NONE && graph.state(slot) == FileState.WRITING) {
      count(slot, spentNs);
      graph.move(slot, FileState.WAITING);
    }
  }

  @Override
  public void lost(long fid) {
    int slot = files.find(fid);
    if (slot != NONE && graph.state(slot).next().contains(FileState.LOST)) {
      graph.move(slot, FileState.LOST);
    }
  }

  @Override
  public void deleted(long fid) {
    int slot = files.find(fid);
    if (slot != NONE && graph.state(slot) != FileState.DELETED) {
      graph.move(slot, FileState.DELETED);
    }
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
