/**
 * Streams that decompress bodies of requests and compress answers: {@link
 * dev.varve.server.compression.GzipInput} and {@link dev.varve.server.compression.GzipOutput},
 * {@link dev.varve.server.compression.ZstdInput} and {@link
 * dev.varve.server.compression.ZstdOutput}.
 *
 * <p>Both codecs are native code. They see memory outside the heap only, never an array: some
 * versions of the JVM move an array while native code works on it (see {@code docs/decisions.md}).
 * Closing a stream frees that memory at once, so every stream must be closed.
 */
@NullMarked
package dev.varve.server.compression;

import org.jspecify.annotations.NullMarked;
