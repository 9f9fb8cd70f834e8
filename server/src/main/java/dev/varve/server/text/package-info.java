/**
 * Text formats in which a line is a point or several: what agents send and what files hold.
 *
 * <p>Here is how a line is read, and nothing else: no socket, no file, no dataset. Every format
 * reads bytes, says what is wrong with a line in words, and leaves nothing of a bad line behind.
 */
@NullMarked
package dev.varve.server.text;

import org.jspecify.annotations.NullMarked;
