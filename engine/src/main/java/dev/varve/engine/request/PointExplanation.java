package dev.varve.engine.request;

import dev.varve.layout.CellDescription;
import dev.varve.model.Bytes;

/**
 * One of the cells of a point.
 *
 * @param time the cell time, in the unit of the table
 * @param index whether the cell belongs to an index
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
