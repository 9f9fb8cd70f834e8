/**
 * Text formats of agents and files, in which a line is one or more points.
 *
 * <p>The package only reads lines; it knows no socket, file or dataset. Every format reads bytes,
 * reports errors of a line in words, and keeps nothing of a bad line.
 */
@NullMarked
package dev.varve.formats.text;

import org.jspecify.annotations.NullMarked;
