/**
 * The layouts of a dataset with their tables, by period. Writes and reads share this package.
 *
 * <p>It opens tables and runs the steps of layouts. It does not decide what is written or read, or
 * in which order.
 */
@NullMarked
package dev.varve.engine.periods;

import org.jspecify.annotations.NullMarked;
