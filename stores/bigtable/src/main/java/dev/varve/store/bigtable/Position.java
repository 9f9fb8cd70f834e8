package dev.varve.store.bigtable;

import dev.varve.model.Bytes;

/**
 * A place within a row, behind a cell.
 *
 * @param family the place of the cell's family in its table
 * @param time the cell's time, in the unit of the table
 * @param versionsSeen cells of this column that were delivered
 */
record Position(int family, Bytes qualifier, long time, int versionsSeen) {}
