package dev.varve.store.rocksdb;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Keys whose cells cannot be read, because a block or a whole table file is damaged or missing.
 *
 * @param offset offset of the block; -1 if the whole file is meant
 * @param bytes size of the block or the file; 0 if the file is missing
 * @param family number of the column family; -1 if unknown
 * @param from lower bound of the lost keys, inclusive; null if unknown
 * @param to upper bound of the lost keys, inclusive; null if unknown
 * @param reason the reason, in words
 */
record LostKeys(
    Path file,
    long offset,
    long bytes,
    long family,
    byte @Nullable [] from,
    byte @Nullable [] to,
    String reason) {}
