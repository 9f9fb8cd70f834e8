/**
 * Reads Protocol Buffers without generated code, because the messages are few and stable and their
 * samples go straight into columns.
 *
 * <p>The package knows no message; the dialects know theirs.
 */
@NullMarked
package dev.varve.formats.protobuf;

import org.jspecify.annotations.NullMarked;
