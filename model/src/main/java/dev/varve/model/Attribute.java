package dev.varve.model;

import org.jspecify.annotations.Nullable;

/**
 * What is known of a series group and is no sample: metadata of an entity, an annotation, a
 * distribution kept raw.
 *
 * @param key what it belongs to
 * @param name the attribute's name
 * @param time the instant it belongs to, in the resolution of the dataset, or null where it holds
 *     for all time
 * @param value the value; raw bytes are kept as they came
 */
public record Attribute(GroupKey key, String name, @Nullable Long time, Value value) {}
