package dev.sailfish.workflow.step;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.sailfish.hadoop.lineage.wire.Recipe;
import dev.sailfish.lineage.protocol.wire.DependencyInput;
import dev.sailfish.lineage.protocol.wire.DependencyOutput;
import dev.sailfish.lineage.protocol.wire.DependencyRecord;
import dev.sailfish.lineage.protocol.wire.DependencyType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Which inputs of a record its outputs need (section 6.1 of the paper). */
public final class NeededInputs {
  private static final int NONE = -1;

  private NeededInputs() {}

  /**
   * The one input that each output of a record needs, in the order of the outputs: of a NARROW
   * record, and of a job whose maps write what they make of one file each. Empty: an output needs
   * all inputs.
   */
  public static Optional<List<DependencyInput>> oneOfEach(DependencyRecord record) {
    List<DependencyInput> inputs = record.getInputsList();
    List<DependencyOutput> outputs = record.getOutputsList();
    if (record.getType() == DependencyType.DEPENDENCY_NARROW) {
      return inputs.size() == outputs.size() ? Optional.of(inputs) : Optional.empty();
    }
    List<Integer> ofMaps = ofMaps(record);
    List<DependencyInput> needed = new ArrayList<>();
    for (DependencyOutput output : outputs) {
      int map = output.getMap() ? output.getIndex() : NONE;
      int input = isIndex(map, ofMaps) ? ofMaps.get(map) : NONE;
      if (!isIndex(input, inputs)) {
        return Optional.empty();
      }
      needed.add(inputs.get(input));
    }
    return Optional.of(needed);
  }

  /** What a client has recorded may be any number. */
  private static boolean isIndex(int number, List<?> list) {
    return number >= 0 && number < list.size();
  }

  private static List<Integer> ofMaps(DependencyRecord record) {
    try {
      return Recipe.parseFrom(record.getConfig()).getMapReduce().getInputOfMapList();
    } catch (InvalidProtocolBufferException e) {
      return List.of(); // who runs it says so
    }
  }

  /** What some outputs of a record need together. */
  public static Collection<DependencyInput> of(
      DependencyRecord record, List<DependencyOutput> outputs) {
    Optional<List<DependencyInput>> ofEach = oneOfEach(record);
    if (ofEach.isEmpty()) {
      return record.getInputsList();
    }
    Set<Long> fids = new LinkedHashSet<>();
    outputs.forEach(output -> fids.add(output.getFid()));
    Set<DependencyInput> needed = new LinkedHashSet<>();
    for (int i = 0; i < record.getOutputsCount(); i++) {
      if (fids.contains(record.getOutputs(i).getFid())) {
        needed.add(ofEach.get().get(i));
      }
    }
    return needed;
  }
}
