package dev.sailfish.workflow.step.mapreduce;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.lineage.protocol.wire.DependencyInput;
import dev.sailfish.lineage.protocol.wire.OutsideInput;
import dev.sailfish.workflow.step.LostProgramException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OutsideInputsTest {
  @TempDir private Path directory;

  private static void check(DependencyInput... inputs) throws IOException {
    OutsideInputs.check(List.of(inputs), new Configuration());
  }

  private DependencyInput input() throws IOException {
    Path file = directory.resolve("in");
    return DependencyInput.newBuilder()
        .setOutside(
            OutsideInput.newBuilder()
                .setUri(file.toUri().toString())
                .setLength(Files.size(file))
                .setModifiedMs(Files.getLastModifiedTime(file).toMillis()))
        .build();
  }

  @Test
  void saysWhichInputIsNotAsItWas() throws IOException {
    Path file = Files.writeString(directory.resolve("in"), "text");
    DependencyInput input = input();
    DependencyInput stored = DependencyInput.newBuilder().setFid(5).build();
    assertThatCode(() -> check(stored, input)).doesNotThrowAnyException();
    Files.writeString(file, "longer text");
    assertThatThrownBy(() -> check(stored, input))
        .isInstanceOf(LostProgramException.class)
        .hasMessageContaining("has changed since it was read: file://" + file)
        .hasMessageContaining("had 4 bytes");
    Files.delete(file);
    assertThatThrownBy(() -> check(input))
        .isInstanceOf(LostProgramException.class)
        .hasMessageContaining("is not there any more");
  }
}
