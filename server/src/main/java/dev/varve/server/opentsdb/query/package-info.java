/**
 * Queries as OpenTSDB 2.4 computes them: times, filters, downsampling, rates, and the aggregation
 * of series whose points lie at different times. Samples come from the one read of the dataset.
 *
 * <p>A sub query reads its series one after another. Each passes downsampling and rate and is then
 * kept as columns, in the memory of the query, until all series of its group are known.
 */
@NullMarked
package dev.varve.server.opentsdb.query;

import org.jspecify.annotations.NullMarked;
