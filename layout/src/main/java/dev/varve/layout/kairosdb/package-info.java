/**
 * The layout of KairosDB's tables (0.9 to 1.3, on Cassandra), byte for byte.
 *
 * <p>{@link dev.varve.layout.kairosdb.KairosDbLayout} is the entry point. The other classes
 * implement the parts of the row key, the value codecs, and the tuple encoding that maps tables of
 * typed columns to cells. They also implement the index tables, and table {@code spec}, in which a
 * keyspace records its own parameters. Nothing here talks to Cassandra. The rest of Varve uses this
 * package only through the interfaces of {@code dev.varve.layout}.
 */
@NullMarked
package dev.varve.layout.kairosdb;

import org.jspecify.annotations.NullMarked;
