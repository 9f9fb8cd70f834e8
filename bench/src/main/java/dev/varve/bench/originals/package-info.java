/**
 * Varve beside an original server on the same tables: KairosDB on Cassandra, OpenTSDB on HBase.
 * {@link dev.varve.bench.originals.Main} asks both the same in turn and prints ratios.
 */
@NullMarked
package dev.varve.bench.originals;

import org.jspecify.annotations.NullMarked;
