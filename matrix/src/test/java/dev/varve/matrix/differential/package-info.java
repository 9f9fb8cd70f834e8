/**
 * Random requests to the originals and to Varve, which must get the same answers but for the
 * differences that the pages of docs/api list.
 */
@NullMarked
package dev.varve.matrix.differential;

import org.jspecify.annotations.NullMarked;
