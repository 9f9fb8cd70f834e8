/**
 * OpenTSDB's telnet interface and HTTP API as in OpenTSDB 2.4: {@code put} lines, {@code /api/put}
 * and the small requests that clients make besides.
 *
 * <p>Lines are parsed by {@code dev.varve.formats.text}.
 */
@NullMarked
package dev.varve.server.opentsdb;

import org.jspecify.annotations.NullMarked;
