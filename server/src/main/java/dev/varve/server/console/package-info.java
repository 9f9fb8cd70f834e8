/** Serves the console, which is in module {@code web}. */
@NullMarked
package dev.varve.server.console;

import org.jspecify.annotations.NullMarked;
