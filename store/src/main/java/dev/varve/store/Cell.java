package dev.varve.store;

import dev.varve.model.Bytes;

/**
 * One cell, for where cells are handled one by one; in bulk they travel in a {@link CellBatch}.
 *
 * @param family the place of the family in {@link TableSpec#families()}
 * @param time in the unit of the table
 */
public record Cell(Bytes row, int family, Bytes qualifier, long time, Bytes value) {}
