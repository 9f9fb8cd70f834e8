package dev.varve.model;

import org.jspecify.annotations.Nullable;

/**
 * A fact about a series group that is not a sample: metadata of an entity, an annotation, or a
 * distribution kept raw.
 *
 * @param key the series group it describes
 * @param name the name of the fact, such as {@code unit}
 * @param time the instant it applies to, in the resolution of the dataset, or null if it applies to
 *     all times
 * @param value the value; raw bytes are kept unchanged
 */
public record Attribute(GroupKey key, String name, @Nullable Long time, Value value) {}
