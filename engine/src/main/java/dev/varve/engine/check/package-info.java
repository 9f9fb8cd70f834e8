/**
 * Reads all data of an engine and reports damage: bad checksums of files, cells that their layout
 * cannot decode, and differences between the catalog and the rows.
 */
@NullMarked
package dev.varve.engine.check;

import org.jspecify.annotations.NullMarked;
