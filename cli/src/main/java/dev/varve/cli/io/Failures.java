package dev.varve.cli.io;

import dev.varve.model.ErrorKind;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/** Converts exceptions to a message for the user and an exit code. */
public final class Failures {
  private static final int FAILURE = 1;
  private static final int WRONG_CALL = 2;

  private Failures() {}

  /** Reports missing or invalid arguments. */
  public static int wrongCall(CommandLine.ParameterException failure, String[] ignored) {
    CommandLine command = failure.getCommandLine();
    PrintWriter err = command.getErr();
    err.println("varve: " + failure.getMessage());
    if (command.getParent() == null) {
      command.usage(err);
    } else {
      CommandLine.UnmatchedArgumentException.printSuggestions(failure, err);
      seeHelp(command);
    }
    return WRONG_CALL;
  }

  private static void seeHelp(CommandLine command) {
    command
        .getErr()
        .println("Try 'varve " + command.getCommandSpec().name() + " --help' for its options.");
  }

  public static int report(
      Exception failure, CommandLine command, CommandLine.@Nullable ParseResult ignored) {
    if (failure instanceof Stdout.FailedException stdout && stdout.isReaderGone()) {
      return 0;
    }
    PrintWriter err = command.getErr();
    err.println("varve: " + message(failure));
    if (failure instanceof WrongCallException) {
      seeHelp(command);
      return WRONG_CALL;
    }
    if (!isExpected(failure)) {
      err.println("This is a defect of Varve. Set VARVE_TRACE=1 to see where it happened.");
    }
    if (System.getenv("VARVE_TRACE") != null) {
      failure.printStackTrace(err);
    }
    return FAILURE;
  }

  private static boolean isExpected(Exception failure) {
    return ErrorKind.of(failure) != ErrorKind.INTERNAL
        || failure instanceof Stdout.FailedException
        || failure instanceof UncheckedIOException
        || failure instanceof IOException;
  }

  private static String message(Exception failure) {
    return switch (failure) {
      case UncheckedIOException e when e.getCause() != null -> message(e.getCause());
      case IOException e -> message(e);
      default ->
          failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
    };
  }

  /** Returns an I/O error in words. */
  public static String message(IOException failure) {
    return switch (failure) {
      case NoSuchFileException e -> "there is no file '" + e.getFile() + "'";
      case FileAlreadyExistsException e -> "file '" + e.getFile() + "' already exists";
      case AccessDeniedException e -> "permission denied: '" + e.getFile() + "'";
      default ->
          failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
    };
  }
}
