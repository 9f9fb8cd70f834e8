package dev.varve.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The program {@code varve}. */
@Command(
    name = "varve",
    description = "A time-series database that keeps its series in cells.",
    mixinStandardHelpOptions = true,
    version = "varve 0.1.0-SNAPSHOT")
public final class Main implements Runnable {
  public static void main(String[] args) {
    System.exit(new CommandLine(new Main()).execute(args));
  }

  @Override
  public void run() {
    new CommandLine(this).usage(System.out);
  }
}
