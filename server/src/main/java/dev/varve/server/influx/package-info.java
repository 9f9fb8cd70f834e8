/**
 * InfluxDB's ways to write as a dialect: the paths of its versions 1 and 2, and what agents ask
 * before they write.
 *
 * <p>Lines are read by {@code dev.varve.formats.text}; Influx' query languages are not spoken.
 */
@NullMarked
package dev.varve.server.influx;

import org.jspecify.annotations.NullMarked;
