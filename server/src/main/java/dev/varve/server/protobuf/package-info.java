/**
 * Reading Protocol Buffers without generated code: the messages that come are few and stable, and
 * their samples go straight into columns.
 *
 * <p>Nothing here knows a message; who does lives with its dialect.
 */
@NullMarked
package dev.varve.server.protobuf;

import org.jspecify.annotations.NullMarked;
