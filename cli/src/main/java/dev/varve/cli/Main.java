package dev.varve.cli;

import dev.varve.cli.bench.BenchCommand;
import dev.varve.cli.bench.StoreStarter;
import dev.varve.cli.cells.CellsCommand;
import dev.varve.cli.imports.ImportCommand;
import dev.varve.cli.io.Failures;
import dev.varve.cli.io.Stdout;
import dev.varve.cli.io.Version;
import dev.varve.cli.migrate.MigrateCommand;
import dev.varve.cli.rules.RulesCommand;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.logging.Level;
import java.util.logging.Logger;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

/**
 * The program {@code varve}. Data goes to stdout and messages go to stderr. The exit code is 0
 * after success, 1 after a failure, and 2 for a wrong call. A reader of stdout that stops reading
 * is not a failure.
 */
@Command(
    name = "varve",
    description =
        "A time-series database that keeps its series in cells, in a layout that you choose.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    subcommands = {
      ServeCommand.class,
      ReadyCommand.class,
      ImportCommand.class,
      ExportCommand.class,
      MigrateCommand.class,
      PutCommand.class,
      QueryCommand.class,
      ExplainCommand.class,
      QueriesCommand.class,
      HeatmapCommand.class,
      AdviseCommand.class,
      CompactCommand.class,
      DeleteCommand.class,
      CheckCommand.class,
      BackupCommand.class,
      RestoreCommand.class,
      CellsCommand.class,
      LayoutsCommand.class,
      ConfigCommand.class,
      RulesCommand.class,
      AuthCommand.class,
      AttachCommand.class,
      HelpCommand.class
    },
    footer = {
      "",
      "Try:",
      "  varve serve",
      "  varve query 'jvm_memory_used_bytes' --last 10m",
      "",
      "Data goes to stdout, everything else to stderr. Exit codes: 0 it went well, 1 it failed, or something was bad",
      "or refused, 2 the call itself is wrong."
    })
public final class Main implements Runnable {
  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  public static void main(String[] args) {
    start(args, StoreStarter.NONE);
  }

  /**
   * Runs a command and ends the process.
   *
   * @param starter starts stores for measurements
   * @param more commands in addition to the program's own
   */
  public static void start(String[] args, StoreStarter starter, Object... more) {
    String refusal = JavaVersion.refusal(Runtime.version());
    if (refusal != null) {
      System.err.println("varve: " + refusal);
      System.exit(1);
    }
    // Store clients that use java.util.logging would log every connection.
    Logger.getLogger("").setLevel(Level.WARNING);
    System.exit(run(commandLine(starter, more), args));
  }

  private static int run(CommandLine line, String[] args) {
    try {
      int code = line.execute(args);
      line.getOut().flush();
      return code;
    } catch (Stdout.FailedException e) {
      return Failures.report(e, line, null);
    }
  }

  /** Returns the command line, so that a caller can set its streams. */
  public static CommandLine commandLine() {
    return commandLine(StoreStarter.NONE);
  }

  private static CommandLine commandLine(StoreStarter starter, Object... more) {
    CommandLine line = new CommandLine(new Main());
    line.addSubcommand(BenchCommand.line(starter));
    for (Object command : more) {
      line.addSubcommand(command);
    }
    line.setOut(
        new PrintWriter(new OutputStreamWriter(new Stdout(), StandardCharsets.UTF_8), false));
    line.setErr(new PrintWriter(new OutputStreamWriter(System.err, StandardCharsets.UTF_8), true));
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.setParameterExceptionHandler(Failures::wrongCall);
    line.setExecutionExceptionHandler(Failures::report);
    return line;
  }

  @Override
  public void run() {
    throw new CommandLine.ParameterException(
        spec.commandLine(), "name a command; 'varve --help' lists them");
  }
}
