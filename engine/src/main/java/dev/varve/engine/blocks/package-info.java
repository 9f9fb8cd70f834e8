/**
 * The tiers of the layout {@code blocks}: {@link dev.varve.engine.blocks.Head}, samples in memory;
 * {@link dev.varve.engine.blocks.Journal}, which protects them; and the blocks in a table. {@link
 * dev.varve.engine.blocks.BlockTiers} owns them: it accepts batches, seals heads into blocks, and
 * gives readers one consistent view of all of them.
 */
@NullMarked
package dev.varve.engine.blocks;

import org.jspecify.annotations.NullMarked;
