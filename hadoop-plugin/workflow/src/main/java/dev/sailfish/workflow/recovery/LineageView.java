package dev.sailfish.workflow.recovery;

import dev.sailfish.lineage.edge.recompute.Dependency;
import dev.sailfish.lineage.edge.recompute.DependencyType;
import dev.sailfish.lineage.edge.recompute.Lineage;
import dev.sailfish.lineage.protocol.wire.DependencyInput;
import dev.sailfish.lineage.protocol.wire.DependencyOutput;
import dev.sailfish.lineage.protocol.wire.DependencyRecord;
import dev.sailfish.lineage.protocol.wire.LostFile;
import dev.sailfish.lineage.protocol.wire.OutputState;
import dev.sailfish.workflow.step.NeededInputs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What the lineage store knows, as the planner asks for it. Records are fetched when they are asked
 * for, once for each {@link #look}; which record makes a file never changes and is kept.
 *
 * <p>What the store does not answer is an UncheckedIOException.
 */
final class LineageView implements Lineage {
  /** In place of a FID: an input outside the store, which is there or not, but never lost here. */
  private static final long OUTSIDE = 0;

  private static final int MOST_MAKERS = 1_000_000;
  private static final Set<OutputState> NOT_THERE =
      Set.of(
          OutputState.OUTPUT_LOST,
          OutputState.OUTPUT_RECOMPUTING,
          OutputState.OUTPUT_INTERRUPTED,
          OutputState.OUTPUT_DELETED,
          OutputState.OUTPUT_REVIVING);

  private final RecordStore store;
  private final Map<Long, Long> makers =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Long> eldest) {
          return size() > MOST_MAKERS;
        }
      };

  private final Map<Long, Optional<DependencyRecord>> records = new HashMap<>();
  private final Map<Long, Dependency> dependencies = new HashMap<>();
  private final Map<Long, OutputState> states = new HashMap<>(); // of outputs, by FID
  private final Map<Long, Boolean> unrecorded = new HashMap<>(); // by FID: whether it is there
  private Map<Long, LostFile> lost = Map.of();
  private Set<Long> ignored = Set.of();

  LineageView(RecordStore store) {
    this.store = store;
  }

  /**
   * Looks anew.
   *
   * @param nowLost by FID
   * @param triedAgain FIDs of files that were given up, and are looked at as if they were not
   */
  void look(Map<Long, LostFile> nowLost, Set<Long> triedAgain) {
    lost = nowLost;
    ignored = triedAgain;
    records.clear();
    dependencies.clear();
    states.clear();
    unrecorded.clear();
    nowLost.forEach((fid, file) -> makers.put(fid, file.getDependency()));
  }

  @Override
  public boolean isAvailable(long fid) {
    if (fid == OUTSIDE) {
      return true;
    }
    if (lost.containsKey(fid)) {
      return false;
    }
    return recordOf(fid).isPresent() ? !NOT_THERE.contains(state(fid)) : isThere(fid);
  }

  private OutputState state(long fid) {
    return states.getOrDefault(fid, OutputState.OUTPUT_UNKNOWN);
  }

  private boolean isThere(long fid) {
    return unrecorded.computeIfAbsent(fid, id -> asked(() -> store.isThere(id)));
  }

  @Override
  public Optional<Dependency> maker(long fid) {
    LostFile file = lost.get(fid);
    boolean isGivenUp = file != null && !file.getGivenUp().isEmpty() && !ignored.contains(fid);
    return isGivenUp
        ? Optional.empty()
        : recordOf(fid)
            .map(record -> dependencies.computeIfAbsent(record.getId(), id -> dependency(record)));
  }

  private Optional<DependencyRecord> recordOf(long fid) {
    Long known = makers.get(fid);
    if (known != null) {
      return record(known);
    }
    if (unrecorded.containsKey(fid)) {
      return Optional.empty();
    }
    Optional<DependencyRecord> record = asked(() -> store.maker(fid));
    record.ifPresent(this::keep);
    return record;
  }

  /** A record as it was when it was first asked for since the last look. */
  Optional<DependencyRecord> record(long id) {
    Optional<DependencyRecord> known = records.get(id);
    if (known == null) {
      known = asked(() -> store.record(id));
      records.put(id, known);
      known.ifPresent(this::keep);
    }
    return known;
  }

  private void keep(DependencyRecord record) {
    records.put(record.getId(), Optional.of(record));
    for (DependencyOutput output : record.getOutputsList()) {
      makers.put(output.getFid(), record.getId());
      states.put(output.getFid(), output.getState());
    }
  }

  /** Whether all of these outputs of a record are there, by what the store says now. */
  static boolean isMade(DependencyRecord record, List<Long> outputs) {
    return record.getOutputsList().stream()
        .filter(output -> outputs.contains(output.getFid()))
        .noneMatch(output -> NOT_THERE.contains(output.getState()));
  }

  /** A record as the planner takes it: a NARROW one has an input for each output. */
  private static Dependency dependency(DependencyRecord record) {
    Optional<List<DependencyInput>> ofEach = NeededInputs.oneOfEach(record);
    List<Long> outputs = record.getOutputsList().stream().map(DependencyOutput::getFid).toList();
    return new Dependency(
        record.getId(),
        ofEach.orElse(record.getInputsList()).stream().map(DependencyInput::getFid).toList(),
        outputs,
        ofEach.isPresent() ? DependencyType.NARROW : DependencyType.WIDE);
  }

  /** A question to the store. */
  private interface Question<T> {
    T ask() throws IOException;
  }

  private static <T> T asked(Question<T> question) {
    try {
      return question.ask();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
