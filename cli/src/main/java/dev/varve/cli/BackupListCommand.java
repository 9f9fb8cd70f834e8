package dev.varve.cli;

import dev.varve.cli.io.OutputFormat;
import dev.varve.cli.io.Records;
import dev.varve.engine.backup.BackupFolder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code varve backup list}. */
@Command(
    name = "list",
    description = "Lists the complete backups of a directory, oldest first.",
    mixinStandardHelpOptions = true)
final class BackupListCommand implements Callable<Integer> {
  @Option(
      names = "--from",
      required = true,
      paramLabel = "DIR",
      description = "The directory of backups.")
  private Path from;

  @Option(
      names = "--output",
      defaultValue = "table",
      description =
          "How the list is printed: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private OutputFormat output;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    try (BackupFolder folder = BackupFolder.forReading(from);
        Records records =
            new Records(
                output, spec.commandLine().getOut(), "backup", "created", "files", "bytes")) {
      folder
          .list()
          .forEach(backup ->
              records.add(
                  backup.id(), backup.created().toString(), backup.files().size(), backup.bytes()));
    }
    return 0;
  }
}
