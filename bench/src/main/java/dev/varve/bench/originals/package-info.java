/**
 * Varve beside an original server: on the same tables beside KairosDB on Cassandra and OpenTSDB on
 * HBase, and with its own store beside KairosDB on H2. {@link dev.varve.bench.originals.Main} asks
 * both the same in turn and prints ratios.
 */
@NullMarked
package dev.varve.bench.originals;

import org.jspecify.annotations.NullMarked;
