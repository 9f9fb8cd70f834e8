package dev.varve.cli;

import dev.varve.cli.config.VarveConfig;
import dev.varve.cli.io.CommandFailedException;
import dev.varve.cli.io.JsonTree;
import dev.varve.cli.io.OutcomeOption;
import dev.varve.cli.io.Progress;
import dev.varve.cli.io.ProgressOption;
import dev.varve.cli.io.Records;
import dev.varve.cli.io.WrongCallException;
import dev.varve.cli.target.ConfigOptions;
import dev.varve.cli.target.RemoteOptions;
import dev.varve.cli.target.RunningServer;
import dev.varve.cli.target.ServerAddress;
import dev.varve.cli.target.ServerConnection;
import dev.varve.cli.target.ServerRequest;
import dev.varve.engine.Engine;
import dev.varve.engine.backup.BackupJob;
import dev.varve.engine.backup.BackupProgress;
import dev.varve.server.rules.RuleFiles;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code varve backup}. */
@Command(
    name = "backup",
    description =
        "Copies a data directory, as of one moment, to a directory of backups. A file that is there already is not copied again.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    subcommands = {BackupListCommand.class, BackupVerifyCommand.class},
    footer = {
      "",
      "Examples:",
      "  varve backup --to /mnt/backup/varve --keep 7",
      "  varve backup list --from /mnt/backup/varve",
      "  varve backup verify --from /mnt/backup/varve",
      "",
      "Beside a running server, writes wait for a moment, and reads do not. It may be killed and run again: what it has",
      "copied is not copied again. 'varve restore' is the way back."
    })
final class BackupCommand implements Callable<Integer> {
  /** Files that a configuration names: layouts and rules. */
  private static final Pattern NAMED = Pattern.compile("[\\w./-]+\\.ya?ml");

  /** A file with such a key is one of users, certificates or scrapes. */
  private static final Pattern SECRET =
      Pattern.compile(
          "(?m)^[\\s\\-{\"']*(password|bearer_token|basic_auth_users|basic_auth|tls_server_config|authorization|credentials|client_secret|oauth2)[\"']?\\s*:");

  @Mixin private ConfigOptions config;

  @Option(names = "--to", paramLabel = "DIR", description = "The directory of backups.")
  private @Nullable Path to;

  @Option(
      names = "--keep",
      paramLabel = "N",
      description = "Delete all but the latest N backups afterwards (default: keep all).")
  private @Nullable Integer keep;

  @Mixin private RemoteOptions remote;

  @Mixin private ProgressOption quiet;

  @Mixin private OutcomeOption outcome;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    if (to == null) {
      throw new WrongCallException("--to DIR is missing: where do backups go?");
    }
    if (keep != null && keep < 1) {
      throw new WrongCallException(
          "--keep is a number of backups, 1 or more, not %d".formatted(keep));
    }
    ServerAddress server = remote.address();
    if (server != null) {
      byServer(server, to.toString());
      return 0;
    }
    VarveConfig read = config.read();
    Path data = read.engine().directory();
    if (!Files.isDirectory(data)) {
      throw new CommandFailedException(
          "there is no data directory '%s': --data names another".formatted(data));
    }
    if (to.toAbsolutePath().normalize().startsWith(data.toAbsolutePath().normalize())) {
      throw new WrongCallException(
          "'%s' is in the data directory: a backup belongs on another disk".formatted(to));
    }
    BackupJob job = new BackupJob(to, configuration(config.file(), read), keep == null ? 0 : keep);
    BackupJob.Outcome done;
    try (Progress progress =
        new Progress(spec.commandLine().getErr(), quiet.isSilent(), "files", 0)) {
      done = run(job, read, (files, bytes, total) -> tell(progress, files, bytes, total));
    }
    print(
        done.backup().id(),
        done.backup().files().size(),
        done.backup().bytes(),
        done.copied(),
        done.deleted().size());
    return 0;
  }

  private void print(Object... columns) {
    try (Records records =
        new Records(
            outcome.format(),
            spec.commandLine().getOut(),
            "backup",
            "files",
            "bytes",
            "copied",
            "deleted")) {
      records.add(columns);
    }
  }

  private void byServer(ServerAddress server, String directory) throws IOException {
    String form =
        "to="
            + URLEncoder.encode(directory, StandardCharsets.UTF_8)
            + (keep == null ? "" : "&keep=" + keep);
    ServerRequest request =
        ServerRequest.post("/varve/v1/backup", form.getBytes(StandardCharsets.US_ASCII))
            .with("Content-Type", "application/x-www-form-urlencoded");
    try (ServerConnection connection = new ServerConnection(server);
        Progress progress =
            new Progress(spec.commandLine().getErr(), quiet.isSilent(), "files", 0);
        BufferedReader lines =
            new BufferedReader(
                new InputStreamReader(connection.send(request), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        Object now = JsonTree.parse(line);
        if (((Map<?, ?>) now).containsKey("error")) {
          throw new CommandFailedException(JsonTree.member(now, "error").toString());
        }
        if (((Map<?, ?>) now).containsKey("backup")) {
          print(
              JsonTree.member(now, "backup"),
              JsonTree.member(now, "files"),
              JsonTree.member(now, "bytes"),
              JsonTree.member(now, "copied"),
              JsonTree.member(now, "deleted"));
          return;
        }
        tell(progress, number(now, "files"), number(now, "bytes"), number(now, "total"));
      }
    }
    throw new CommandFailedException(
        "the server broke off its answer; the backup may be complete: 'varve backup list' shows it");
  }

  private static long number(Object line, String name) {
    return (Long) JsonTree.member(line, name);
  }

  static void tell(Progress progress, long files, long bytes, long total) {
    progress.update(files, bytes, "%,d of %,d MB".formatted(bytes >> 20, total >> 20));
  }

  private static BackupJob.Outcome run(BackupJob job, VarveConfig read, BackupProgress progress)
      throws IOException {
    Path data = read.engine().directory();
    Optional<ServerAddress> running = RunningServer.find(data);
    if (running.isPresent()) {
      try (ServerConnection server = new ServerConnection(running.get())) {
        return job.run(new ServerSnapshots(server, data), progress);
      }
    }
    try (DirectoryLock _ = DirectoryLock.take(data);
        Engine engine = Engine.open(read.engine())) {
      return job.run(engine.snapshots().source(), progress);
    }
  }

  /**
   * Returns the configuration and the files of layouts and rules that it names, by their paths from
   * its folder. Files with credentials are left out.
   */
  private static Map<String, Path> configuration(@Nullable Path file, VarveConfig read)
      throws IOException {
    if (file == null) {
      return Map.of();
    }
    Path folder = Objects.requireNonNull(file.toAbsolutePath().getParent());
    Map<String, Path> files = new TreeMap<>();
    files.put(String.valueOf(file.getFileName()), file);
    List<Path> named = new ArrayList<>(RuleFiles.find(read.rules().files()));
    for (List<Path> rules : read.rules().datasets().values()) {
      named.addAll(RuleFiles.find(rules));
    }
    Matcher words = NAMED.matcher(Files.readString(file));
    while (words.find()) {
      named.add(folder.resolve(words.group()));
    }
    for (Path other : named) {
      if (Files.isRegularFile(other) && !SECRET.matcher(Files.readString(other)).find()) {
        files.put(within(folder, other), other);
      }
    }
    return files;
  }

  private static String within(Path folder, Path file) {
    Path normal = file.toAbsolutePath().normalize();
    return normal.startsWith(folder.normalize())
        ? folder.normalize().relativize(normal).toString().replace('\\', '/')
        : "elsewhere" + normal.toString().replace('\\', '/');
  }
}
