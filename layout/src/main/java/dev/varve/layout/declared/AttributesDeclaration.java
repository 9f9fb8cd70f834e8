package dev.varve.layout.declared;

/**
 * Declares the family that stores attributes, one column for each name.
 *
 * @param family the family's name in the store
 * @param time {@link CellTime.Server}, or {@link CellTime.Shifted} for tables that keep metadata
 *     beyond every window of samples
 * @param versions number of newest cells of a column to keep
 */
public record AttributesDeclaration(String family, CellTime time, int versions) {}
