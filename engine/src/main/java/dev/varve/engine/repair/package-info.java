/**
 * What puts right what is missing: writes that did not reach every companion are repeated, and
 * catalogs are rebuilt from rows that others have written. And what says the same in fewer cells:
 * rows are compacted.
 *
 * <p>Everything here can be interrupted at any time, by a crash too, and goes on where it stopped.
 */
@NullMarked
package dev.varve.engine.repair;

import org.jspecify.annotations.NullMarked;
