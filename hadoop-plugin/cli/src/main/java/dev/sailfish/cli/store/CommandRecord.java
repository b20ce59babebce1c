package dev.sailfish.cli.store;

import dev.sailfish.hadoop.lineage.ProgramName;
import dev.sailfish.hadoop.lineage.command.CommandDirectory;
import dev.sailfish.hadoop.lineage.wire.Command;
import dev.sailfish.hadoop.lineage.wire.InputPath;
import dev.sailfish.hadoop.lineage.wire.Recipe;
import dev.sailfish.lineage.client.FileInput;
import dev.sailfish.lineage.client.FileOutput;
import dev.sailfish.lineage.client.StoreClient;
import dev.sailfish.lineage.client.StoreRefusedException;
import dev.sailfish.lineage.protocol.wire.CreateDependency;
import dev.sailfish.lineage.protocol.wire.CreateFile;
import dev.sailfish.lineage.protocol.wire.DependencyInput;
import dev.sailfish.lineage.protocol.wire.DependencyOutput;
import dev.sailfish.lineage.protocol.wire.DependencyType;
import dev.sailfish.lineage.protocol.wire.FileEntry;
import dev.sailfish.lineage.protocol.wire.ProgramFile;
import dev.sailfish.lineage.protocol.wire.Refusal;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The record of a command that is run for the first time, as it grows: inputs and programs are
 * looked up before the command runs, its outputs are written after it. For one thread.
 */
final class CommandRecord {
  /** A recipe that is longer is a program: masters have the record in their heap. */
  private static final int LONG_RECIPE = 1024;

  private static final int FILE_MODE = 0644;
  private static final int DIRECTORY_MODE = 0755;
  private static final int SMALLEST_BLOCK_LOG = 16;
  private static final int LARGEST_BLOCK_LOG = 26;

  private final StoreClient client;
  private final List<NamedFile> inputs;
  private final List<NamedFile> outputs;
  private final Recipe recipe;
  private final CreateDependency.Builder record =
      CreateDependency.newBuilder().setType(DependencyType.DEPENDENCY_WIDE);

  /**
   * @param recipe without names
   */
  CommandRecord(
      StoreClient client, Recipe recipe, List<NamedFile> inputs, List<NamedFile> outputs) {
    this.client = client;
    this.inputs = inputs;
    this.outputs = outputs;
    Recipe.Builder named = recipe.toBuilder();
    Command.Builder command = recipe.getCommand().toBuilder();
    for (int i = 0; i < inputs.size(); i++) {
      command.addInputNames(inputs.get(i).name());
      named.addInputs(
          InputPath.newBuilder().setPath("lineage://" + inputs.get(i).path()).setInput(i));
    }
    outputs.forEach(output -> command.addOutputNames(output.name()));
    this.recipe = named.setCommand(command).build();
  }

  /** A recipe that names no files yet. */
  static Recipe recipe(
      List<String> arguments, Map<String, String> environment, String queue, int memoryMb) {
    return Recipe.newBuilder()
        .setQueue(queue)
        .setCommand(
            Command.newBuilder()
                .addAllArguments(arguments)
                .putAllEnvironment(environment)
                .setMemoryMb(memoryMb))
        .build();
  }

  /** What is run. */
  Command command() {
    return recipe.getCommand();
  }

  /**
   * Copies programs and inputs into the working directory, and has the store keep the programs.
   *
   * @throws IOException also when an output is there already
   */
  void prepare(CommandDirectory directory, List<Path> programs) throws IOException {
    for (NamedFile output : outputs) {
      requireFree(output.path());
    }
    for (Path program : programs) {
      String name = NamedFile.nameOf(program);
      if (!Files.isRegularFile(program)) {
        throw new FileNotFoundException("the program " + program + " is no file of this machine");
      }
      Files.copy(program, directory.file(name));
      directory.makeExecutable(name);
      addProgram(directory.file(name), name);
    }
    for (NamedFile input : inputs) {
      try (FileInput in = client.open(input.path())) {
        record.addInputs(DependencyInput.newBuilder().setFid(in.fid()));
        Files.copy(in, directory.file(input.name()));
      }
    }
  }

  private void addProgram(Path file, String name) throws IOException {
    ProgramFile uploaded = client.lineage().upload(file);
    record.addPrograms(uploaded.toBuilder().setName(name));
  }

  private void requireFree(String path) throws IOException {
    FileEntry there;
    try {
      there = client.namespace().stat(path);
    } catch (StoreRefusedException e) {
      if (e.reason() == Refusal.Reason.NOT_FOUND) {
        return;
      }
      throw e;
    }
    throw new IOException(
        "%s is there already, a %s: delete it, or give the output another path"
            .formatted(path, there.getDirectory() ? "directory" : "file"));
  }

  /**
   * Writes the outputs to the store, and records how they were made; if that fails, none stays.
   *
   * @return the record's id
   */
  long write(CommandDirectory directory) throws IOException {
    for (NamedFile output : outputs) {
      if (!Files.isRegularFile(directory.file(output.name()))) {
        throw new IOException(
            "the command has made no file called " + output.name() + ": nothing is recorded");
      }
    }
    addRecipe(directory);
    List<String> written = new ArrayList<>();
    boolean recorded = false;
    try {
      for (NamedFile output : outputs) {
        write(directory.file(output.name()), output.path(), written);
      }
      long id = client.lineage().create(record.build());
      recorded = true;
      return id;
    } finally {
      if (!recorded) {
        for (String path : written) {
          client.namespace().delete(path, false);
        }
      }
    }
  }

  private void write(Path file, String path, List<String> written) throws IOException {
    CreateFile created =
        CreateFile.newBuilder()
            .setPath(path)
            .setMode(FILE_MODE)
            .setMakeParents(true)
            .setParentMode(DIRECTORY_MODE)
            .setBlockSizeLog(blockSizeLog(Files.size(file)))
            .build();
    try (InputStream in = Files.newInputStream(file);
        FileOutput out = client.create(created)) {
      in.transferTo(out);
      record.addOutputs(
          DependencyOutput.newBuilder().setFid(out.fid()).setIndex(record.getOutputsCount()));
    }
    written.add(path);
  }

  /** Of the smallest block that has all of the file, as a worker keeps room for whole blocks. */
  private static int blockSizeLog(long length) {
    int log = Long.SIZE - Long.numberOfLeadingZeros(Math.max(0, length - 1));
    return Math.max(SMALLEST_BLOCK_LOG, Math.min(LARGEST_BLOCK_LOG, log));
  }

  private void addRecipe(CommandDirectory directory) throws IOException {
    record.setConfig(recipe.toByteString());
    if (recipe.getSerializedSize() > LONG_RECIPE) {
      addProgram(directory.keep(ProgramName.RECIPE, recipe.toByteArray()), ProgramName.RECIPE);
      record.setConfig(
          Recipe.newBuilder()
              .setQueue(recipe.getQueue())
              .setCommand(Command.getDefaultInstance())
              .build()
              .toByteString());
    }
  }
}
