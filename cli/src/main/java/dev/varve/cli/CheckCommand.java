package dev.varve.cli;

import static java.util.stream.Collectors.joining;

import dev.varve.cli.config.VarveConfig;
import dev.varve.cli.io.CommandFailedException;
import dev.varve.cli.io.Progress;
import dev.varve.cli.io.WrongCallException;
import dev.varve.cli.target.ConfigOptions;
import dev.varve.cli.target.RemoteOptions;
import dev.varve.cli.target.RunningServer;
import dev.varve.cli.target.ServerAddress;
import dev.varve.cli.target.ServerConnection;
import dev.varve.engine.Engine;
import dev.varve.engine.Repaired;
import dev.varve.engine.check.AffectedSeries;
import dev.varve.engine.check.CheckFinding;
import dev.varve.engine.check.CheckFinding.Severity;
import dev.varve.engine.check.CheckProgress;
import dev.varve.engine.check.CheckRun;
import dev.varve.formats.json.JsonLines;
import dev.varve.server.varve.CheckJson;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code varve check}. */
@Command(
    name = "check",
    description =
        "Reads everything and reports damage: checksums of all files, cells that their layout cannot read, the catalog against the rows.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  varve check",
      "  varve check --rate 100 --output json",
      "  varve check --repair",
      "",
      "Beside a running server it asks that server, which goes on working. --repair needs the server stopped. Exit codes:",
      "0 nothing is damaged, 1 something is or cannot be repaired, 2 the call itself is wrong, 3 everything damaged is repaired."
    })
final class CheckCommand implements Callable<Integer> {
  private static final int SERIES_SHOWN = 20;

  /** Exit code if all damage was repaired. */
  private static final int REPAIRED = 3;

  @Mixin private ConfigOptions config;

  @Mixin private RemoteOptions remote;

  @Option(
      names = "--rate",
      paramLabel = "MB",
      description =
          "Megabytes to read per second at most (default: 32 in a server, otherwise unlimited).")
  private @Nullable Integer rate;

  @Option(
      names = "--repair",
      description =
          "Make a damaged directory fit to be opened: keep what can be read, move damaged files aside, and list what is lost. No server may run on it.")
  private boolean repair;

  @Option(
      names = "--output",
      defaultValue = "text",
      description =
          "How findings are printed: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private Form output;

  @Option(names = "--no-progress", description = "Show no progress.")
  private boolean silent;

  @Spec private CommandSpec spec;

  /** Prints findings for people, or one JSON object per line. */
  enum Form {
    text,
    json
  }

  @Override
  public Integer call() throws IOException {
    if (rate != null && (rate < 1 || rate > 999_999)) {
      throw new WrongCallException(
          "--rate is a number of MB per second, from 1 to 999999, not %d".formatted(rate));
    }
    if (repair) {
      return repair();
    }
    CheckProgress end;
    try (Progress progress = new Progress(spec.commandLine().getErr(), silent, "rows", 0)) {
      end = check(progress);
    }
    PrintWriter out = spec.commandLine().getOut();
    if (output == Form.json) {
      JsonLines.write(out, json -> CheckJson.write(end, true, json));
    } else {
      out.println(
          end.damages() == 0
              ? "nothing is damaged: read %,d bytes, %,d cells in %,d rows of samples and indexes"
                  .formatted(end.bytes(), end.cells(), end.rows())
              : "%,d damages; read %,d bytes, %,d cells in %,d rows of samples and indexes"
                  .formatted(end.damages(), end.bytes(), end.cells(), end.rows()));
    }
    out.flush();
    return end.damages() == 0 ? 0 : 1;
  }

  private int repair() throws IOException {
    if (remote.isGiven()) {
      throw new WrongCallException(
          "--repair works on a data directory, and --server names a server");
    }
    if (rate != null) {
      throw new WrongCallException("--repair reads as fast as it can, without --rate");
    }
    VarveConfig read = config.read();
    Path data = directory(read);
    List<CheckFinding> found = new ArrayList<>();
    Repaired repaired;
    CheckProgress end;
    try (Progress progress = new Progress(spec.commandLine().getErr(), silent, "rows", 0);
        DirectoryLock _ = DirectoryLock.take(data)) {
      CheckRun run =
          new CheckRun(
              0,
              now -> tell(now, progress),
              finding -> {
                found.add(finding);
                print(finding);
              },
              () -> false);
      repaired = Engine.repair(read.engine(), run);
      end = run.progress();
    }
    for (Path folder : repaired.kept()) {
      RepairReport.write(folder, found);
    }
    PrintWriter out = spec.commandLine().getOut();
    if (output == Form.json) {
      JsonLines.write(out, json -> CheckJson.write(end, true, json));
    } else {
      out.println(outcome(repaired));
    }
    out.flush();
    return repaired.damages() == 0 ? 0 : repaired.sound() ? REPAIRED : 1;
  }

  private static String outcome(Repaired repaired) {
    if (repaired.damages() == 0) {
      return "nothing is damaged, and nothing was changed";
    }
    String kept =
        repaired.kept().isEmpty()
            ? ""
            : "; the files from before, and this report, are in %s: remove it when it is not needed any more"
                .formatted(repaired.kept().stream().map(Path::toString).collect(joining(", ")));
    return (repaired.sound()
            ? "%,d damages are repaired, a server can start%s"
            : "%,d damages, of which some cannot be repaired; a server can start%s")
        .formatted(repaired.damages(), kept);
  }

  private static Path directory(VarveConfig read) {
    Path data = read.engine().directory();
    if (!Files.isDirectory(data)) {
      throw new CommandFailedException(
          "there is no data directory '%s': --data names another, --server a server"
              .formatted(data));
    }
    return data;
  }

  private CheckProgress check(Progress progress) throws IOException {
    ServerAddress named = remote.address();
    if (named != null) {
      return remote(named, progress);
    }
    VarveConfig read = config.read();
    Path data = directory(read);
    Optional<ServerAddress> running = RunningServer.find(data);
    if (running.isPresent()) {
      return remote(running.get(), progress);
    }
    CheckRun run =
        new CheckRun(
            rate == null ? 0 : (long) rate << 20,
            now -> tell(now, progress),
            this::print,
            () -> false);
    try (DirectoryLock _ = DirectoryLock.take(data)) {
      Engine.check(read.engine(), run);
    }
    return run.progress();
  }

  private CheckProgress remote(ServerAddress address, Progress progress) {
    try (ServerConnection connection = new ServerConnection(address)) {
      return RemoteCheck.run(connection, rate, now -> tell(now, progress), this::print);
    }
  }

  private static void tell(CheckProgress now, Progress progress) {
    progress.update(
        now.rows(), now.bytes(), "%,d MB, %s".formatted(now.bytes() >> 20, now.doing()));
  }

  private void print(CheckFinding finding) {
    PrintWriter out = spec.commandLine().getOut();
    if (output == Form.json) {
      JsonLines.write(out, json -> CheckJson.write(finding, json));
      out.flush();
      return;
    }
    String severity = finding.severity() == Severity.DAMAGE ? "damage" : "note";
    out.println("%s: %s: %s".formatted(severity, finding.place(), finding.text()));
    int shown = 0;
    for (AffectedSeries series : finding.affected()) {
      if (shown++ < SERIES_SHOWN) {
        out.println("  " + series);
      }
    }
    if (finding.affectedSeries() > SERIES_SHOWN) {
      out.println(
          "  and %,d series more; --output json lists 1,000"
              .formatted(finding.affectedSeries() - SERIES_SHOWN));
    }
    out.flush();
  }
}
