/**
 * The layout {@code opentsdb}: the tables {@code tsdb} and {@code tsdb-uid} of OpenTSDB 2.x, byte
 * for byte. {@code docs/layouts/opentsdb.md} draws them.
 *
 * <p>Here are the row keys, the UIDs that stand in them for names, and every kind of column that
 * the original writes or has written. Neither the tables of trees, meta data and rollups nor
 * anything of the original's query rules belongs here.
 */
@NullMarked
package dev.varve.layout.opentsdb;

import org.jspecify.annotations.NullMarked;
