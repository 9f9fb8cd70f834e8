/**
 * Benchmarks for users: they write and read the same points in each layout and store on this
 * machine. Module {@code bench} has the benchmarks of single parts.
 */
@NullMarked
package dev.varve.cli.bench;

import org.jspecify.annotations.NullMarked;
