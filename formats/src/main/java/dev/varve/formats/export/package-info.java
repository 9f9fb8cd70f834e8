/** Formats in which samples leave a dataset in bulk, and the readers of those that are ours. */
@NullMarked
package dev.varve.formats.export;

import org.jspecify.annotations.NullMarked;
