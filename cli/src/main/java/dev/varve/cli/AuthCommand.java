package dev.varve.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code varve auth}: the parent of the commands about the rights of users. */
@Command(
    name = "auth",
    description = "Tells what users may do, without a server.",
    mixinStandardHelpOptions = true,
    subcommands = AuthCheckCommand.class)
final class AuthCommand implements Runnable {
  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Override
  public void run() {
    throw new CommandLine.ParameterException(
        spec.commandLine(), "name a command: check USER METHOD PATH");
  }
}
