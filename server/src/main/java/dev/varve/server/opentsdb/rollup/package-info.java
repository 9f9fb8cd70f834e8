/** OpenTSDB's roll-ups and pre-aggregates: configuration, writes, and the choice of a query. */
@NullMarked
package dev.varve.server.opentsdb.rollup;

import org.jspecify.annotations.NullMarked;
