/**
 * Reads everything that an engine holds and reports damage: checksums of files, cells that their
 * layout cannot read, and differences between the catalog and the rows.
 */
@NullMarked
package dev.varve.engine.check;

import org.jspecify.annotations.NullMarked;
