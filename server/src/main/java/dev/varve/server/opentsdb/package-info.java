/**
 * OpenTSDB's telnet interface, as OpenTSDB 2.4 has it: {@code put} and {@code version}, and what
 * comes with a connection.
 *
 * <p>How a line is read is in {@code dev.varve.server.text}; here is the conversation.
 */
@NullMarked
package dev.varve.server.opentsdb;

import org.jspecify.annotations.NullMarked;
