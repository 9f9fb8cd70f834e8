package dev.varve.engine.check;

/**
 * The progress of a check.
 *
 * @param doing the place that is being read, such as {@code store rocksdb, file 000013.sst}
 * @param bytes bytes of files and cells read so far
 * @param rows rows of data tables read so far
 * @param cells cells read so far
 * @param damages findings of damage so far
 */
public record CheckProgress(String doing, long bytes, long rows, long cells, long damages) {}
