/**
 * A store in memory, simple enough to serve as the oracle for all others. It loses everything when
 * it is closed.
 */
@NullMarked
package dev.varve.store.memory;

import org.jspecify.annotations.NullMarked;
