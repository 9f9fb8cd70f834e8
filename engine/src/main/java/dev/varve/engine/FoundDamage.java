package dev.varve.engine;

import dev.varve.store.StoreDamage;

/**
 * Damage in a file of a store.
 *
 * @param store the folder of the store in the data directory, such as {@code rocksdb}
 */
public record FoundDamage(String store, StoreDamage damage) {}
