/** The parts of a dialect that let its requests be explained. */
@NullMarked
package dev.varve.server.explain;

import org.jspecify.annotations.NullMarked;
