package dev.varve.store;

import dev.varve.model.Bytes;

/**
 * A single cell, for code that handles cells one by one. Bulk cells travel in a {@link CellBatch}.
 *
 * @param family index of the family in {@link TableSpec#families()}
 * @param time in the unit of the table
 */
public record Cell(Bytes row, int family, Bytes qualifier, long time, Bytes value) {}
