/** Writes to tables of stores, with retries of the mutations that a store did not apply. */
@NullMarked
package dev.varve.engine.tables;

import org.jspecify.annotations.NullMarked;
