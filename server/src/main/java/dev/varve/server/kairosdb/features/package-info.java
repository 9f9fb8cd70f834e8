/**
 * Descriptions of aggregators and groupings, from which user interfaces build their forms.
 *
 * <p>Imports only the JSON writer.
 */
@NullMarked
package dev.varve.server.kairosdb.features;

import org.jspecify.annotations.NullMarked;
