package dev.varve.cli.bench;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code varve bench}. */
@Command(
    name = "bench",
    description = "Measures on this machine.",
    mixinStandardHelpOptions = true,
    subcommands = StoreBenchCommand.class)
public final class BenchCommand implements Runnable {
  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Override
  public void run() {
    throw new CommandLine.ParameterException(spec.commandLine(), "which measurement?");
  }
}
