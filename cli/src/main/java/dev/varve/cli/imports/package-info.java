/**
 * {@code varve import}: writes files in text formats to a dataset. Reading is one batch ahead of
 * writing. Bad lines are counted and set aside with their reasons.
 */
@NullMarked
package dev.varve.cli.imports;

import org.jspecify.annotations.NullMarked;
