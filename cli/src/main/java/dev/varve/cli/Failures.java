package dev.varve.cli;

import dev.varve.layout.RefusedException;
import dev.varve.store.StoreException;
import java.io.UncheckedIOException;
import picocli.CommandLine;

/** Turns what went wrong into a line for the user and an exit code. */
final class Failures {
  private static final int FAILURE = 1;

  private Failures() {}

  static int report(Exception failure, CommandLine command, CommandLine.ParseResult ignored) {
    command.getErr().println("varve: " + message(failure));
    if (!isExpected(failure)) {
      command
          .getErr()
          .println("This is a defect of Varve. Set VARVE_TRACE=1 to see where it happened.");
    }
    if (System.getenv("VARVE_TRACE") != null) {
      failure.printStackTrace(command.getErr());
    }
    return FAILURE;
  }

  private static boolean isExpected(Exception failure) {
    return failure instanceof CommandFailedException
        || failure instanceof RefusedException
        || failure instanceof StoreException
        || failure instanceof UncheckedIOException
        || failure instanceof java.io.IOException;
  }

  private static String message(Exception failure) {
    return switch (failure) {
      case UncheckedIOException e when e.getCause() != null -> ioMessage(e.getCause());
      case java.io.IOException e -> ioMessage(e);
      default ->
          failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
    };
  }

  private static String ioMessage(java.io.IOException failure) {
    return failure instanceof java.nio.file.NoSuchFileException missing
        ? "there is no file '" + missing.getFile() + "'"
        : String.valueOf(failure.getMessage());
  }
}
