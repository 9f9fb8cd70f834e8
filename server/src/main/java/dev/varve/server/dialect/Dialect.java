package dev.varve.server.dialect;

import dev.varve.server.http.Router;
import dev.varve.server.http.StreamProtocol;
import org.jspecify.annotations.Nullable;

/**
 * An API that a listener speaks: paths over HTTP, and possibly lines on the same port. A dialect
 * translates requests to calls of engine and query, and results to answers; it holds no logic that
 * another dialect needs. {@code Dialects} of the server lists all of them.
 *
 * <p>What is common to all dialects happens around them: limits and decompression of bodies, errors
 * with their statuses, choice of the dataset, budgets, cancellation. The contract test runs every
 * dialect through it.
 */
public interface Dialect {
  /** Returns the name in configurations and metrics, and the prefix of its paths. */
  String name();

  /** Returns its routes and the form of its errors. */
  Router.Mount mount();

  /**
   * Returns whether its paths may lie beside those of other dialects on one port. Otherwise they
   * answer below its name alone, unless a listener speaks nothing else.
   */
  default boolean sharesRoot() {
    return true;
  }

  /** Returns the line protocol that it speaks on the same port; null if it has none. */
  default @Nullable StreamProtocol lines() {
    return null;
  }
}
