package dev.varve.layout.declared;

import dev.varve.layout.Binding;
import dev.varve.model.GroupKey;

/**
 * A key with those stretches of its row keys that are the same in every row.
 *
 * @param segments for each run of such parts in the key, their bytes
 */
record DeclaredBinding(GroupKey key, byte[][] segments) implements Binding {}
