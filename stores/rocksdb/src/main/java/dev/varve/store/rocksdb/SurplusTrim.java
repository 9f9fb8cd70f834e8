package dev.varve.store.rocksdb;

import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/**
 * Deletes versions of a column beyond those that its family keeps. Reads never return them, but
 * walk past them; the read that came upon them hands this in for the writer to do when it has time.
 */
final class SurplusTrim implements GroupCommit.Decision {
  /** How many versions go at once; more are left to the next read. */
  private static final int BATCH = 1000;

  private final Database database;
  private final TableEntry table;
  private final int kept;
  private final GrowingBytes column;

  /**
   * Notes a column of a family.
   *
   * @param column its key without a time
   */
  SurplusTrim(Database database, TableEntry table, int family, byte[] column) {
    this.database = database;
    this.table = table;
    this.kept = table.spec().families().get(family).maxVersions();
    this.column = new GrowingBytes(column.length);
    this.column.add(column, 0, column.length);
  }

  /** Looks again: since the read, versions may have gone, or others have come. */
  @Override
  public WriteRecords decide() throws RocksDBException {
    WriteRecords records = new WriteRecords(256);
    if (table.isDropped()) {
      return records;
    }
    try (RocksIterator iterator = database.cells()) {
      KeyWalk walk = new KeyWalk(iterator);
      walk.forwardTo(column);
      for (int i = 0; i < kept && walk.startsWith(column); i++) {
        walk.next();
      }
      GrowingBytes key = new GrowingBytes(column.length() + KeyFormat.TIME_LENGTH);
      for (int i = 0; i < BATCH && walk.startsWith(column); i++) {
        key.truncate(0);
        key.add(walk.key(), 0, walk.length());
        records.delete(database.cellsFamily(), key);
        walk.next();
      }
    }
    return records;
  }
}
