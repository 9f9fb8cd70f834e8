package dev.varve.engine;

import dev.varve.layout.CellDescription;
import dev.varve.model.Bytes;

/**
 * One cell that a point becomes.
 *
 * @param time the cell time, in the unit of the table
 * @param index whether it is a cell by which rows are found
 */
public record PointExplanation(
    String layout,
    String table,
    String family,
    Bytes row,
    Bytes qualifier,
    long time,
    Bytes value,
    boolean index,
    CellDescription description) {}
