/** The interface through which the queries of a dialect are explained. */
@NullMarked
package dev.varve.server.explain;

import org.jspecify.annotations.NullMarked;
