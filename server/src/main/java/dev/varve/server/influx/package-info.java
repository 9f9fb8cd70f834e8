/**
 * InfluxDB's write APIs as a dialect: the paths of its versions 1 and 2, and the requests that
 * agents send before they write.
 *
 * <p>Lines are read by {@code dev.varve.formats.text}; Influx' query languages are not supported.
 */
@NullMarked
package dev.varve.server.influx;

import org.jspecify.annotations.NullMarked;
