/** OpenTSDB's aggregators: their names, and how each folds values. */
@NullMarked
package dev.varve.server.opentsdb.aggregator;

import org.jspecify.annotations.NullMarked;
