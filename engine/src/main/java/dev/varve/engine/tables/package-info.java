/** Writes to tables of stores, with retries of what a store did not apply. */
@NullMarked
package dev.varve.engine.tables;

import org.jspecify.annotations.NullMarked;
