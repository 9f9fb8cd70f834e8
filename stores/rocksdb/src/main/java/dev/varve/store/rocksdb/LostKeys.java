package dev.varve.store.rocksdb;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Keys whose cells cannot be read, since a block or a whole table file is damaged or missing.
 *
 * @param offset of the block; -1 where the whole file is meant
 * @param bytes of the block or the file; 0 where the file is missing
 * @param family the number of the column family; -1 where it is unknown
 * @param from no lost key is smaller than this; null where that is unknown
 * @param to no lost key is greater than this; null where that is unknown
 * @param reason in words
 */
record LostKeys(
    Path file,
    long offset,
    long bytes,
    long family,
    byte @Nullable [] from,
    byte @Nullable [] to,
    String reason) {}
