/**
 * Measurements that a user runs: the same points through each layout and store, on this machine.
 * What developers measure of single parts is module {@code bench}.
 */
@NullMarked
package dev.varve.cli.bench;

import org.jspecify.annotations.NullMarked;
