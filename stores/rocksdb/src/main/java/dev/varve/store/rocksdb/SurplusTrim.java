package dev.varve.store.rocksdb;

import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/**
 * Deletes versions of a column beyond those that its family keeps. Reads never return them but must
 * skip them; a read that finds them submits this work to the writer, which does it when it has
 * time.
 */
final class SurplusTrim implements GroupCommit.Decision {
  /** Maximum number of versions to delete at once; the next read finds the rest. */
  private static final int BATCH = 1000;

  private final Database database;
  private final TableEntry table;
  private final int kept;
  private final GrowingBytes column;

  /**
   * Creates a trim of one column.
   *
   * @param column the key of the column, without a time
   */
  SurplusTrim(Database database, TableEntry table, int family, byte[] column) {
    this.database = database;
    this.table = table;
    this.kept = table.spec().families().get(family).maxVersions();
    this.column = new GrowingBytes(column.length);
    this.column.add(column, 0, column.length);
  }

  /** Reads the column again, because its versions may have changed since the read. */
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
