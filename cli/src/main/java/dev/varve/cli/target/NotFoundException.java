package dev.varve.cli.target;

import dev.varve.cli.io.CommandFailedException;

/** Thrown if a server does not have what a request names. */
public final class NotFoundException extends CommandFailedException {
  private static final long serialVersionUID = 1;

  NotFoundException(String message) {
    super(message);
  }
}
