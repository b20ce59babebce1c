package dev.sailfish.system.yarn;

import dev.sailfish.hadoop.lineage.ProgramName;
import dev.sailfish.hadoop.lineage.wire.InputPath;
import dev.sailfish.hadoop.lineage.wire.MapReduceJob;
import dev.sailfish.hadoop.lineage.wire.Recipe;
import dev.sailfish.lineage.client.StoreClient;
import dev.sailfish.lineage.protocol.wire.CreateDependency;
import dev.sailfish.lineage.protocol.wire.DependencyInput;
import dev.sailfish.lineage.protocol.wire.DependencyOutput;
import dev.sailfish.lineage.protocol.wire.DependencyRecord;
import dev.sailfish.lineage.protocol.wire.DependencyType;
import dev.sailfish.lineage.protocol.wire.FileEntry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Makes the record of a job that has ended, of its staging directory, which was kept. */
final class RecordedJob {
  private static final Map<String, String> PROGRAMS =
      Map.of(
          "job.xml",
          ProgramName.JOB_XML,
          "job.jar",
          ProgramName.JOB_JAR,
          "job.split",
          ProgramName.SPLITS,
          "job.splitmetainfo",
          ProgramName.SPLIT_PLACES,
          ProgramName.STAGED_PLAN,
          ProgramName.PLAN);

  private final StoreClient store;
  private final Path staging;

  /**
   * @param staging of the job
   */
  RecordedJob(StoreClient store, Path staging) {
    this.store = store;
    this.staging = staging;
  }

  /**
   * Records each file {@code part-*} of a directory as an output.
   *
   * @param input a directory, all files of which are inputs
   */
  DependencyRecord record(String input, String output, int reduces) throws IOException {
    CreateDependency.Builder record =
        CreateDependency.newBuilder().setType(DependencyType.DEPENDENCY_WIDE);
    Recipe.Builder recipe =
        Recipe.newBuilder()
            .setQueue("default")
            .setMapReduce(
                MapReduceJob.newBuilder()
                    .setJob(staging.getFileName().toString())
                    .setReduces(reduces));
    for (FileEntry file : files(input)) {
      recipe.addInputs(
          InputPath.newBuilder()
              .setPath("lineage:" + input + "/" + file.getName())
              .setInput(record.getInputsCount()));
      record.addInputs(DependencyInput.newBuilder().setFid(file.getFid()));
    }
    for (FileEntry file : files(output)) {
      if (file.getName().startsWith("part-")) {
        record.addOutputs(
            DependencyOutput.newBuilder()
                .setFid(file.getFid())
                .setMap(reduces == 0)
                .setIndex(Integer.parseInt(file.getName().substring("part-r-".length()))));
      }
    }
    for (Map.Entry<String, String> program : PROGRAMS.entrySet()) {
      Path file = staging.resolve(program.getKey());
      if (Files.exists(file)) {
        record.addPrograms(store.lineage().upload(file).toBuilder().setName(program.getValue()));
      }
    }
    return store
        .lineage()
        .get(store.lineage().create(record.setConfig(recipe.build().toByteString()).build()));
  }

  private List<FileEntry> files(String directory) throws IOException {
    List<FileEntry> files = new ArrayList<>();
    store.namespace().list(directory, files::add);
    return files;
  }
}
