package dev.varve.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.OutputStream;
import java.io.PrintWriter;
import picocli.CommandLine;

/**
 * Does what short commands do, so that the JVM can keep the classes that it needed for the next
 * start.
 *
 * <p>The launcher runs this once after a build. It must end by itself and leave nothing behind.
 */
final class Rehearsal {
  private Rehearsal() {}

  public static void main(String[] args) {
    showHelp(new CommandLine(new Main()));
  }

  private static void showHelp(CommandLine command) {
    command.usage(new PrintWriter(OutputStream.nullOutputStream(), false, UTF_8));
    command.getSubcommands().values().forEach(Rehearsal::showHelp);
  }
}
