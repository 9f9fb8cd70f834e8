package dev.varve.layout.declared;

/**
 * Where attributes have their place: a family of their own, one column a name.
 *
 * @param family as the store knows it
 * @param time {@link CellTime.Server}, or {@link CellTime.Shifted} for tables that keep metadata
 *     beyond every window of samples
 * @param versions how many cells of a column are kept, newest first
 */
public record AttributesDeclaration(String family, CellTime time, int versions) {}
