package dev.varve.cli.bench;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code varve bench}: the parent of the commands that measure on this machine. */
@Command(name = "bench", description = "Measures on this machine.", mixinStandardHelpOptions = true)
public final class BenchCommand implements Runnable {
  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  /** Returns the command with its subcommands. */
  public static CommandLine line(StoreStarter starter) {
    return new CommandLine(new BenchCommand()).addSubcommand(new StoreBenchCommand(starter));
  }

  @Override
  public void run() {
    throw new CommandLine.ParameterException(spec.commandLine(), "name a measurement: store");
  }
}
