/**
 * {@code varve import}: files of the text formats, into a dataset. Reading runs ahead of writing by
 * one batch; bad lines are counted and put aside with their reasons.
 */
@NullMarked
package dev.varve.cli.imports;

import org.jspecify.annotations.NullMarked;
