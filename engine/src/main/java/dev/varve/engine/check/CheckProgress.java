package dev.varve.engine.check;

/**
 * How far a check is.
 *
 * @param doing what it reads at present, such as {@code store rocksdb, file 000013.sst}
 * @param bytes read so far, of files and of cells
 * @param rows of samples read so far
 * @param cells read so far
 * @param damages found so far
 */
public record CheckProgress(String doing, long bytes, long rows, long cells, long damages) {}
