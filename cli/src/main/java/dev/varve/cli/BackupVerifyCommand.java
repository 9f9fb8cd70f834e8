package dev.varve.cli;

import dev.varve.cli.io.Progress;
import dev.varve.cli.target.ConfigOptions;
import dev.varve.engine.Engine;
import dev.varve.engine.backup.Backup;
import dev.varve.engine.backup.BackupFile;
import dev.varve.engine.backup.BackupFolder;
import dev.varve.engine.backup.Restore;
import dev.varve.engine.check.CheckFinding;
import dev.varve.engine.check.CheckFinding.Severity;
import dev.varve.engine.check.CheckProgress;
import dev.varve.engine.check.CheckRun;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.store.DirectoryTree;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code varve backup verify}. */
@Command(
    name = "verify",
    description =
        "Reads a backup: checksums of all files and the homes of datasets on other stores, then everything in it as 'varve check' does.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footer = {
      "",
      "Example:",
      "  varve backup verify --from /mnt/backup/varve --config varve.yaml",
      "",
      "It needs the configuration of the datasets. Where table files cannot be linked it needs as much free space in",
      "--scratch as the backup has. Exit codes: 0 nothing is damaged, 1 something is."
    })
final class BackupVerifyCommand implements Callable<Integer> {
  @Mixin private ConfigOptions config;

  @Option(
      names = "--from",
      required = true,
      paramLabel = "DIR",
      description = "The directory of backups.")
  private Path from;

  @Option(names = "--backup", paramLabel = "ID", description = "The backup (default: the latest).")
  private @Nullable String id;

  @Option(names = "--checksums", description = "Verify checksums and homes alone.")
  private boolean checksums;

  @Option(
      names = "--scratch",
      paramLabel = "DIR",
      description = "The directory in which the backup is opened (default: that of the backups).")
  private @Nullable Path scratch;

  @Option(names = "--no-progress", description = "Show no progress.")
  private boolean silent;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    try (BackupFolder folder = BackupFolder.forReading(from);
        Progress progress = new Progress(spec.commandLine().getErr(), silent, "files", 0)) {
      Backup backup = folder.find(id);
      List<String> problems =
          folder.verify(
              backup, (files, bytes, total) -> BackupCommand.tell(progress, files, bytes, total));
      problems.forEach(problem -> out.println("damage: " + problem));
      if (!problems.isEmpty()) {
        out.println("%,d files of backup %s are damaged".formatted(problems.size(), backup.id()));
        return 1;
      }
      out.println(
          "checksums of backup %s match: %,d files, %,d bytes"
              .formatted(backup.id(), backup.files().size(), backup.bytes()));
      tellHomes(backup, out);
      return checksums ? 0 : open(folder, backup, out);
    }
  }

  private static void tellHomes(Backup backup, PrintWriter out) {
    List<String> homes = new ArrayList<>();
    for (BackupFile file : backup.files()) {
      String dataset = file.homeOf();
      if (dataset != null) {
        homes.add(dataset);
      }
    }
    if (!homes.isEmpty()) {
      out.println("homes in other stores are whole: " + String.join(", ", homes));
    }
  }

  private int open(BackupFolder folder, Backup backup, PrintWriter out) throws IOException {
    EngineConfig read = config.read().engine();
    List<DatasetConfig> local =
        read.datasets().stream().filter(BackupVerifyCommand::isInBackup).toList();
    if (local.isEmpty()) {
      out.println("the configuration has no dataset whose samples are in the backup");
      return 0;
    }
    Path parent = Files.createTempDirectory(scratch == null ? from : scratch, "verify-");
    try {
      Path data = parent.resolve("data");
      Restore.linking(folder, backup, data).run((files, bytes, total) -> {});
      return check(new EngineConfig(data, read.memory(), local, local.getFirst().name()), out);
    } finally {
      DirectoryTree.delete(parent);
    }
  }

  private static boolean isInBackup(DatasetConfig dataset) {
    return dataset.store().kind().equals("rocksdb") && dataset.home().kind().equals("rocksdb");
  }

  private static int check(EngineConfig engine, PrintWriter out) {
    CheckRun run = new CheckRun(0, progress -> {}, finding -> print(finding, out), () -> false);
    Engine.check(engine, run);
    CheckProgress end = run.progress();
    out.println(
        end.damages() == 0
            ? "nothing is damaged: read %,d bytes, %,d cells in %,d rows of samples and indexes"
                .formatted(end.bytes(), end.cells(), end.rows())
            : "%,d damages".formatted(end.damages()));
    return end.damages() == 0 ? 0 : 1;
  }

  private static void print(CheckFinding finding, PrintWriter out) {
    String severity = finding.severity() == Severity.DAMAGE ? "damage" : "note";
    out.println("%s: %s: %s".formatted(severity, finding.place(), finding.text()));
  }
}
