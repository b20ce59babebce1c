package dev.sailfish.lineage.master.state;

import com.google.protobuf.ByteString;
import dev.sailfish.lineage.master.dependency.Breadth;
import dev.sailfish.lineage.master.dependency.Dependency;
import dev.sailfish.lineage.master.dependency.Input;
import dev.sailfish.lineage.master.dependency.Output;
import dev.sailfish.lineage.master.dependency.Part;
import dev.sailfish.lineage.master.dependency.Program;
import dev.sailfish.lineage.master.namespace.NamespaceException;
import dev.sailfish.lineage.master.namespace.NamespaceException.Reason;
import dev.sailfish.lineage.protocol.wire.CreateDependency;
import dev.sailfish.lineage.protocol.wire.DependencyInput;
import dev.sailfish.lineage.protocol.wire.DependencyOutput;
import dev.sailfish.lineage.protocol.wire.DependencyRecord;
import dev.sailfish.lineage.protocol.wire.DependencyType;
import dev.sailfish.lineage.protocol.wire.OutputState;
import dev.sailfish.lineage.protocol.wire.OutsideInput;
import dev.sailfish.lineage.protocol.wire.ProgramFile;
import java.util.HexFormat;
import java.util.List;

/** Lineage records in messages of the wire. */
public final class DependencyMessages {
  private static final HexFormat HEX = HexFormat.of();

  private DependencyMessages() {}

  /** The bytes of a program's hash. */
  public static ByteString sha256(String hash) {
    return ByteString.copyFrom(HEX.parseHex(hash));
  }

  /** A program's hash as text. */
  public static String hash(ByteString sha256) {
    return HEX.formatHex(sha256.toByteArray());
  }

  /**
   * What is to be recorded.
   *
   * @throws NamespaceException when it has no type that this version knows
   */
  static Dependency.Recipe recipe(CreateDependency asked, String owner) throws NamespaceException {
    List<Program> programs =
        asked.getProgramsList().stream()
            .map(file -> new Program(file.getName(), hash(file.getSha256())))
            .toList();
    List<Input> inputs = asked.getInputsList().stream().map(DependencyMessages::input).toList();
    return new Dependency.Recipe(
        owner.intern(),
        asked.getName(),
        type(asked),
        inputs,
        programs,
        asked.getConfig().toByteArray());
  }

  private static Breadth type(CreateDependency asked) throws NamespaceException {
    return switch (asked.getType()) {
      case DEPENDENCY_NARROW -> Breadth.NARROW;
      case DEPENDENCY_WIDE -> Breadth.WIDE;
      case DEPENDENCY_UNKNOWN, UNRECOGNIZED ->
          throw new NamespaceException(Reason.INVALID, "a dependency is narrow or wide");
    };
  }

  private static Input input(DependencyInput input) {
    OutsideInput outside = input.getOutside();
    return input.getFid() != 0
        ? Input.of(input.getFid())
        : Input.outside(outside.getUri(), outside.getLength(), outside.getModifiedMs());
  }

  /** The outputs that are to be recorded. */
  static List<Output> outputs(CreateDependency asked) {
    return asked.getOutputsList().stream()
        .map(output -> Output.pending(output.getFid(), part(output)))
        .toList();
  }

  /** Which part of the work makes an output. */
  static Part part(DependencyOutput output) {
    return new Part(output.getMap(), output.getIndex(), output.getFile());
  }

  /** The message with a record, without its lists and its configuration, which may be large. */
  public static DependencyRecord.Builder head(Dependency dependency) {
    Dependency.Recipe recipe = dependency.recipe();
    return DependencyRecord.newBuilder()
        .setId(dependency.id())
        .setOwner(recipe.owner())
        .setName(recipe.name())
        .setType(
            recipe.type() == Breadth.NARROW
                ? DependencyType.DEPENDENCY_NARROW
                : DependencyType.DEPENDENCY_WIDE)
        .setNondeterministic(dependency.isNondeterministic())
        .setGrowing(dependency.isGrowing());
  }

  /**
   * The message with a record.
   *
   * @param withConfig whether with its configuration, which may be large
   */
  public static DependencyRecord record(Dependency dependency, boolean withConfig) {
    Dependency.Recipe recipe = dependency.recipe();
    DependencyRecord.Builder record = head(dependency);
    recipe.inputs().forEach(input -> record.addInputs(input(input)));
    dependency.allOutputs().forEach(output -> record.addOutputs(output(output)));
    for (Program program : recipe.programs()) {
      record.addPrograms(
          ProgramFile.newBuilder().setName(program.name()).setSha256(sha256(program.hash())));
    }
    if (withConfig) {
      record.setConfig(ByteString.copyFrom(recipe.config()));
    }
    return record.build();
  }

  private static DependencyInput input(Input input) {
    DependencyInput.Builder message = DependencyInput.newBuilder().setFid(input.fid());
    if (input.isOutside()) {
      message.setOutside(
          OutsideInput.newBuilder()
              .setUri(input.uri())
              .setLength(input.length())
              .setModifiedMs(input.modifiedMs()));
    }
    return message.build();
  }

  /** The message with an output. */
  public static DependencyOutput output(Output output) {
    DependencyOutput.Builder message =
        DependencyOutput.newBuilder()
            .setFid(output.fid())
            .setIndex(output.part().index())
            .setMap(output.part().isMap())
            .setFile(output.part().file())
            .setState(state(output))
            .setLength(output.length());
    output.checksum().ifPresent(message::setChecksum);
    return message.build();
  }

  private static OutputState state(Output output) {
    return switch (output.state()) {
      case PENDING -> OutputState.OUTPUT_PENDING;
      case STORED -> OutputState.OUTPUT_STORED;
      case BELOW -> OutputState.OUTPUT_BELOW;
      case LOST -> OutputState.OUTPUT_LOST;
      case RECOMPUTING -> OutputState.OUTPUT_RECOMPUTING;
      case INTERRUPTED -> OutputState.OUTPUT_INTERRUPTED;
      case DELETED -> OutputState.OUTPUT_DELETED;
      case REVIVING -> OutputState.OUTPUT_REVIVING;
      case REVIVED -> OutputState.OUTPUT_REVIVED;
    };
  }
}
