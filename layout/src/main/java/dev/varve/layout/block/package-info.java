/**
 * The layout {@code blocks}: {@link dev.varve.layout.block.BlockLayout} declares its tables, {@link
 * dev.varve.layout.block.BlockKey} its keys, {@link dev.varve.layout.block.BlockWriter} and {@link
 * dev.varve.layout.block.BlockReader} encode and decode blocks, column by column. Pure: no I/O, no
 * clock, no threads.
 */
@NullMarked
package dev.varve.layout.block;

import org.jspecify.annotations.NullMarked;
