/**
 * The layout {@code opentsdb}: the tables {@code tsdb} and {@code tsdb-uid} of OpenTSDB 2.x, byte
 * for byte. {@code docs/layouts/opentsdb.md} has diagrams.
 *
 * <p>The package implements the row keys, the UIDs that replace names in them, and every kind of
 * column that any 2.x version writes. It covers neither the tables of trees, meta data and rollups
 * nor the original's query semantics.
 */
@NullMarked
package dev.varve.layout.opentsdb;

import org.jspecify.annotations.NullMarked;
