/**
 * OpenTSDB's telnet interface and HTTP API, as OpenTSDB 2.4 has them: the conversation of {@code
 * put} lines, {@code /api/put}, and the small questions that clients ask besides.
 *
 * <p>How a line is read is in {@code dev.varve.server.text}; here is the conversation.
 */
@NullMarked
package dev.varve.server.opentsdb;

import org.jspecify.annotations.NullMarked;
