/** Heroic's aggregations: what a query asks for, and the sessions that compute it. */
@NullMarked
package dev.varve.server.heroic.aggregation;

import org.jspecify.annotations.NullMarked;
