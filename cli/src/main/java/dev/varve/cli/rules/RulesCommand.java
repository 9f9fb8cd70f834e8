package dev.varve.cli.rules;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code varve rules}: the parent of the commands for rule files of Prometheus. */
@Command(
    name = "rules",
    description = "Checks rule files of Prometheus, and tests the rules in them.",
    mixinStandardHelpOptions = true,
    subcommands = {RulesCheckCommand.class, RulesTestCommand.class})
public final class RulesCommand implements Runnable {
  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Override
  public void run() {
    throw new CommandLine.ParameterException(spec.commandLine(), "name a command: check or test");
  }
}
