package dev.sailfish.hadoop.lineage.command;

import dev.sailfish.hadoop.lineage.recompute.LostOutput;
import dev.sailfish.hadoop.lineage.wire.Command;
import dev.sailfish.lineage.hadoop.FilesById;
import dev.sailfish.lineage.protocol.wire.DependencyOutput;
import dev.sailfish.lineage.protocol.wire.DependencyRecord;
import dev.sailfish.lineage.protocol.wire.ProgramFile;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a recorded command again, for lost files that it has made: they are written under their ids,
 * and what else it makes is dropped. For one thread, but for {@link #progress}.
 */
public final class CommandRun {
  private static final Logger LOG = LoggerFactory.getLogger(CommandRun.class);
  private static final int TAIL_BYTES = 4096;

  private final FilesById files;
  private final Command command;
  private final CommandOrder order;
  private final File logs;
  private volatile float progress;

  /**
   * @param files of the store, as the record's owner
   * @param logs the directory in which the command's standard output and error are kept
   */
  public CommandRun(FilesById files, Command command, CommandOrder order, File logs) {
    this.files = files;
    this.command = command;
    this.order = order;
    this.logs = logs;
  }

  /** How far it is, from 0 to 1. Any thread may ask. */
  public float progress() {
    return progress;
  }

  /**
   * Runs the command, and writes the files.
   *
   * @param parent the directory in which it has its own
   * @throws IOException with a sentence for people; of a command that fails it ends with the last
   *     line that it wrote to its standard error
   */
  public void run(File parent) throws IOException {
    DependencyRecord record = files.lineage().get(order.record());
    try (CommandDirectory directory = CommandDirectory.create(parent.toPath())) {
      prepare(record, directory);
      File err = new File(logs, "command.stderr");
      Redirect out = Redirect.to(new File(logs, "command.stdout"));
      LOG.info("{} runs", command.getArgumentsList());
      int exit = directory.run(command, out, Redirect.to(err), order.deadline());
      if (exit != 0) {
        throw new IOException("the command ended with %d: %s".formatted(exit, lastLine(err)));
      }
      progress = 0.75f;
      write(record, directory);
    }
    progress = 1;
  }

  private void prepare(DependencyRecord record, CommandDirectory directory) throws IOException {
    if (record.getInputsCount() != command.getInputNamesCount()) {
      throw new IOException(
          "record %d has %d inputs, and its command names %d"
              .formatted(record.getId(), record.getInputsCount(), command.getInputNamesCount()));
    }
    List<ProgramFile> programs =
        record.getProgramsList().stream().filter(CommandRecipe::isOfTheCommand).toList();
    CommandDirectory.check(command, programs.stream().map(ProgramFile::getName).toList());
    for (ProgramFile program : programs) {
      try (OutputStream out = Files.newOutputStream(directory.file(program.getName()))) {
        files.lineage().fetch(record.getOwner(), program, out);
      }
      directory.makeExecutable(program.getName());
    }
    progress = 0.125f;
    for (int i = 0; i < record.getInputsCount(); i++) {
      String name = command.getInputNames(i);
      try (InputStream in = files.open(record.getInputs(i).getFid(), named(name))) {
        Files.copy(in, directory.file(name));
      }
    }
    progress = 0.25f;
  }

  /** For messages. */
  private static Path named(String name) {
    return new Path("/", name);
  }

  private void write(DependencyRecord record, CommandDirectory directory) throws IOException {
    Set<Long> left = new HashSet<>(order.outputs());
    for (DependencyOutput output : record.getOutputsList()) {
      if (left.remove(output.getFid())) {
        write(output, directory);
        progress = 1 - 0.25f * left.size() / order.outputs().size();
      }
    }
    if (!left.isEmpty()) {
      throw new IOException("record %d has no outputs %s".formatted(record.getId(), left));
    }
  }

  private void write(DependencyOutput output, CommandDirectory directory) throws IOException {
    String name = command.getOutputNames(output.getIndex());
    try (InputStream in = Files.newInputStream(directory.file(name))) {
      try (OutputStream out = LostOutput.begin(files, output.getFid(), named(name), null)) {
        in.transferTo(out);
      }
    } catch (NoSuchFileException e) {
      throw new IOException("the command has made no file called " + name, e);
    }
  }

  /** The last line of a file that is not empty. */
  private static String lastLine(File file) throws IOException {
    byte[] tail;
    try (RandomAccessFile bytes = new RandomAccessFile(file, "r")) {
      long begin = Math.max(0, bytes.length() - TAIL_BYTES);
      bytes.seek(begin);
      tail = new byte[(int) (bytes.length() - begin)];
      bytes.readFully(tail);
    }
    return new String(tail, StandardCharsets.UTF_8)
        .lines()
        .map(String::strip)
        .filter(line -> !line.isEmpty())
        .reduce((first, second) -> second)
        .orElse("it has written nothing to its standard error");
  }
}
