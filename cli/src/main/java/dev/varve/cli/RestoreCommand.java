package dev.varve.cli;

import dev.varve.cli.io.Progress;
import dev.varve.cli.io.WrongCallException;
import dev.varve.engine.backup.Backup;
import dev.varve.engine.backup.BackupFolder;
import dev.varve.engine.backup.Restore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code varve restore}. */
@Command(
    name = "restore",
    description =
        "Makes a data directory out of a backup, and verifies every checksum. Nothing is overwritten.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    subcommands = RestoreHomesCommand.class,
    footer = {
      "",
      "Examples:",
      "  varve restore --from /mnt/backup/varve --to /var/lib/varve",
      "  varve restore homes --data /var/lib/varve",
      "",
      "The directory appears once it is complete. To repeat a killed restore, run the command again."
    })
final class RestoreCommand implements Callable<Integer> {
  @Option(names = "--from", paramLabel = "DIR", description = "The directory of backups.")
  private @Nullable Path from;

  @Option(
      names = "--to",
      paramLabel = "DATA",
      description = "The data directory to make; missing or empty.")
  private @Nullable Path to;

  @Option(names = "--backup", paramLabel = "ID", description = "The backup (default: the latest).")
  private @Nullable String id;

  @Option(names = "--no-progress", description = "Show no progress.")
  private boolean silent;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    if (from == null || to == null) {
      throw new WrongCallException(
          "--from DIR and --to DATA are needed: where are the backups, and where does one go?");
    }
    Backup backup;
    try (BackupFolder folder = BackupFolder.forReading(from);
        Progress progress = new Progress(spec.commandLine().getErr(), silent, "files", 0)) {
      backup = folder.find(id);
      new Restore(folder, backup, to)
          .run((files, bytes, total) -> BackupCommand.tell(progress, files, bytes, total));
    }
    spec.commandLine()
        .getOut()
        .println(
            "restored backup %s of %s to %s: %,d files, %,d bytes"
                .formatted(
                    backup.id(), backup.created(), to, backup.files().size(), backup.bytes()));
    return 0;
  }
}
