package dev.sailfish.workflow.step;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.sailfish.hadoop.lineage.ProgramName;
import dev.sailfish.hadoop.lineage.wire.Recipe;
import dev.sailfish.lineage.client.Lineage;
import dev.sailfish.lineage.client.StoreRefusedException;
import dev.sailfish.lineage.protocol.wire.DependencyRecord;
import dev.sailfish.lineage.protocol.wire.ProgramFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.HashMap;
import java.util.Map;

/** The programs of a record, by their names. Thread-safe. */
public final class Programs {
  /** Of a program that is held in memory. */
  private static final int MOST_BYTES = 16 << 20;

  private final Lineage lineage;
  private final DependencyRecord record;
  private final Map<String, ProgramFile> byName = new HashMap<>();

  /**
   * @param lineage of a client that may read them
   */
  public Programs(Lineage lineage, DependencyRecord record) {
    this.lineage = lineage;
    this.record = record;
    record.getProgramsList().forEach(program -> byName.put(program.getName(), program));
  }

  /** Whether the record has one of that name. */
  public boolean has(String name) {
    return byName.containsKey(name);
  }

  /**
   * Reads one.
   *
   * @throws LostProgramException when it is not there, or is lost
   */
  public void fetch(String name, OutputStream to) throws IOException {
    ProgramFile program = byName.get(name);
    if (program == null) {
      throw new LostProgramException(
          "record %d has no program called %s".formatted(record.getId(), name));
    }
    try {
      lineage.fetch(record.getOwner(), program, to);
    } catch (StoreRefusedException e) {
      throw switch (e.reason()) {
        case NOT_FOUND, LOST, NOT_COMPLETE ->
            new LostProgramException(
                "program %s of record %d is not there any more: %s; it has to be uploaded again"
                    .formatted(name, record.getId(), e.getMessage()),
                e);
        default -> e;
      };
    }
  }

  /**
   * Reads them all, and keeps nothing.
   *
   * @throws LostProgramException when one is not there, or is lost
   */
  public void check() throws IOException {
    for (String name : byName.keySet()) {
      fetch(name, OutputStream.nullOutputStream());
    }
  }

  /**
   * Reads a short one.
   *
   * @throws LostProgramException also when it is too long to be held in memory
   */
  public byte[] bytes(String name) throws IOException {
    ShortOutput output = new ShortOutput(name);
    fetch(name, output);
    return output.bytes.toByteArray();
  }

  /** Takes what may be held in memory. */
  private static final class ShortOutput extends OutputStream {
    private final String name;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    private ShortOutput(String name) {
      this.name = name;
    }

    @Override
    public void write(int one) throws IOException {
      write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] from, int offset, int length) throws IOException {
      if (bytes.size() + (long) length > MOST_BYTES) {
        throw new LostProgramException(
            "program %s has more than %d bytes, too many for one that says how to run something"
                .formatted(name, MOST_BYTES));
      }
      bytes.write(from, offset, length);
    }
  }

  /** How the record is run again. */
  public Recipe recipe() throws IOException {
    try {
      return has(ProgramName.RECIPE)
          ? Recipe.parseFrom(bytes(ProgramName.RECIPE))
          : Recipe.parseFrom(record.getConfig());
    } catch (InvalidProtocolBufferException e) {
      throw new LostProgramException(
          "the configuration of record %d is none that says how to run it"
              .formatted(record.getId()),
          e);
    }
  }
}
