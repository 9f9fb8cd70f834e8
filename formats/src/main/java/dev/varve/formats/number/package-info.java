/** Numbers as text: in the forms that programs written in Go print, and NaNs with their bits. */
@NullMarked
package dev.varve.formats.number;

import org.jspecify.annotations.NullMarked;
