package dev.varve.layout.declared;

import dev.varve.layout.Binding;
import dev.varve.model.GroupKey;

/**
 * A key with the parts of its row keys that are the same in every row.
 *
 * @param segments the bytes of each run of such parts in the key
 */
record DeclaredBinding(GroupKey key, byte[][] segments) implements Binding {}
