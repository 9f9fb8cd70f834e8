/**
 * JSON (RFC 8259): the factory that readers and writers share, small documents as text, and lines.
 *
 * <p>A reader of an original's dialect of JSON derives its factory from the shared one, so that
 * what differs is visible where it is used.
 */
@NullMarked
package dev.varve.formats.json;

import org.jspecify.annotations.NullMarked;
