package dev.sailfish.cli.store;

import dev.sailfish.lineage.client.StoreClient;
import dev.sailfish.lineage.protocol.wire.DependencyInput;
import dev.sailfish.lineage.protocol.wire.DependencyOutput;
import dev.sailfish.lineage.protocol.wire.DependencyRecord;
import dev.sailfish.lineage.protocol.wire.ProgramFile;
import java.io.IOException;
import java.util.HexFormat;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code sailfish lineage stat}. */
@Command(name = "stat", description = "Shows how a file was made.")
final class LineageStatCommand extends ClientCommand {
  @Parameters(paramLabel = "PATH", converter = StoreUri.class, description = "The file.")
  private String path;

  @Override
  int ask(StoreClient client) throws IOException {
    DependencyRecord record = client.lineage().of(client.namespace().stat(path).getFid());
    out()
        .printf(
            "dependency: %d, %s, of %s%s%n",
            record.getId(),
            LineageText.type(record),
            record.getOwner(),
            record.getNondeterministic() ? ", does not give the same bytes again" : "");
    if (!record.getName().isEmpty()) {
      out().println("name: " + record.getName());
    }
    for (ProgramFile program : record.getProgramsList()) {
      String hash = HexFormat.of().formatHex(program.getSha256().toByteArray());
      out().printf("program: %s %s%n", program.getName(), hash);
    }
    out().printf("configuration: %d bytes%n", record.getConfig().size());
    for (DependencyInput input : record.getInputsList()) {
      boolean isInside = input.getFid() != 0;
      out()
          .println(
              "input: "
                  + (isInside ? LineageText.fid(input.getFid()) : input.getOutside().getUri()));
    }
    for (DependencyOutput output : record.getOutputsList()) {
      out()
          .printf(
              "output: %s part=%s %s bytes=%d checksum=%s%n",
              LineageText.fid(output.getFid()),
              LineageText.part(output),
              LineageText.state(output),
              output.getLength(),
              output.hasChecksum() ? "%08x".formatted(output.getChecksum()) : "none");
    }
    out().flush();
    return 0;
  }
}
