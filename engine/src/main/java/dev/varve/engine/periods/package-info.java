/**
 * The layouts of a dataset at their tables, period by period: what writing and reading share.
 *
 * <p>Here tables are opened and the steps of a layout are run. What is written and read, and in
 * which order, is not decided here.
 */
@NullMarked
package dev.varve.engine.periods;

import org.jspecify.annotations.NullMarked;
