package dev.varve.store.bigtable;

import dev.varve.model.Bytes;

/**
 * A position within a row, after a cell.
 *
 * @param family the index of the cell's family in its table
 * @param time the cell's time, in the unit of the table
 * @param versionsSeen number of cells of this column that were delivered
 */
record Position(int family, Bytes qualifier, long time, int versionsSeen) {}
