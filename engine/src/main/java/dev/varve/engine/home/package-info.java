/**
 * The home of a dataset: the tables of our own in which its identity, its series and its markers
 * are kept, beside the tables of its layouts.
 *
 * <p>Here are the forms of those cells, drawn where they are written, and nothing of what is done
 * with them. Rows and cells of samples are not known here.
 */
@NullMarked
package dev.varve.engine.home;

import org.jspecify.annotations.NullMarked;
