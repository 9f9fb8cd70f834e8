/** The limits of a query: its memory, samples and series. */
@NullMarked
package dev.varve.query.limit;

import org.jspecify.annotations.NullMarked;
