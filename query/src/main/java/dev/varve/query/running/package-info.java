/**
 * What queries use while they run, in whichever language they are asked.
 *
 * <p>{@link dev.varve.query.running.QueryUse} counts for one query what it reads, holds and
 * returns, refuses what goes beyond its limits and tells it when nobody wants it any more. {@link
 * dev.varve.query.running.RunningQueries} lets queries in, lists them, ends them and tells a
 * listener how they ended.
 *
 * <p>No language, operator or wire format is known here: who evaluates asks the use that it was
 * given.
 */
@NullMarked
package dev.varve.query.running;

import org.jspecify.annotations.NullMarked;
