/**
 * The tables of KairosDB (0.9 to 1.3, on Cassandra), byte for byte.
 *
 * <p>{@link dev.varve.layout.kairosdb.KairosDbLayout} is the layout and reads from the top down.
 * Beside it stand the parts of the row key, the codecs of the values, the tuple encoding by which
 * tables of typed columns become cells, the index tables and the record that a keyspace keeps of
 * itself. Nothing here talks to Cassandra, and nothing here is known to anybody but through the
 * interfaces of {@code dev.varve.layout}.
 */
@NullMarked
package dev.varve.layout.kairosdb;

import org.jspecify.annotations.NullMarked;
