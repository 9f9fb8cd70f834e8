package dev.varve.store.rocksdb;

import dev.varve.model.Bytes;
import dev.varve.store.Durability;
import dev.varve.store.LaterFormatException;
import dev.varve.store.RowSpan;
import dev.varve.store.TableSpec;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/** The tables of a store: their numbers and specs, kept in the default column family. */
final class TableCatalog {
  /*
   * "format"       "1": the format of all keys and values
   * "next-table"   the number of the next new table, in decimal digits
   * "table/" name  a TableEntry
   */
  private static final String FORMAT_KEY = "format";
  private static final String FORMAT = "1";
  private static final String NEXT_KEY = "next-table";
  private static final String TABLE_PREFIX = "table/";

  private final Database database;
  private final GroupCommit writer;
  private final SortedMap<String, TableEntry> entries = new TreeMap<>();
  private int nextId = 1;

  /** Reads the catalog, or creates it if there is none. */
  TableCatalog(Database database, GroupCommit writer) throws RocksDBException {
    this.database = database;
    this.writer = writer;
    String format = load();
    if (format == null) {
      WriteRecords records = new WriteRecords(64);
      put(records, FORMAT_KEY, FORMAT);
      writer.submit(() -> records, Durability.SYNCED).await();
    } else if (!format.equals(FORMAT)) {
      throw new LaterFormatException(
          "the rocksdb store in " + database.directory(), format, FORMAT);
    }
    if (database.recovery().hasLost()) {
      renumber();
    }
    TableList.write(database);
  }

  /**
   * Ensures that no new table gets the number of a table that a recovery lost while keeping its
   * cells.
   */
  private void renumber() throws RocksDBException {
    int free = database.lastTable() + 1;
    if (free > nextId) {
      WriteRecords records = new WriteRecords(64);
      put(records, NEXT_KEY, Integer.toUnsignedString(free));
      writer.submit(() -> records, Durability.SYNCED).await();
      nextId = free;
    }
  }

  private @Nullable String load() throws RocksDBException {
    String format = null;
    try (RocksIterator iterator = database.catalog()) {
      for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
        String key = new String(iterator.key(), StandardCharsets.UTF_8);
        String value = new String(iterator.value(), StandardCharsets.UTF_8);
        if (key.equals(FORMAT_KEY)) {
          format = value;
        } else if (key.equals(NEXT_KEY)) {
          nextId = Integer.parseUnsignedInt(value);
        } else if (key.startsWith(TABLE_PREFIX)) {
          String name = key.substring(TABLE_PREFIX.length());
          entries.put(name, TableEntry.parse(name, value));
        }
      }
      iterator.status();
    }
    return format;
  }

  synchronized List<String> names() {
    return List.copyOf(entries.keySet());
  }

  synchronized @Nullable TableEntry find(String name) {
    return entries.get(name);
  }

  /** Returns the rows between two keys of cells, both inclusive, table by table. */
  synchronized List<RowSpan> rows(byte[] from, byte[] to) {
    List<RowSpan> spans = new ArrayList<>();
    int first = KeyFormat.table(from);
    int last = KeyFormat.table(to);
    for (TableEntry entry : entries.values()) {
      if (Integer.compareUnsigned(entry.id(), first) >= 0
          && Integer.compareUnsigned(entry.id(), last) <= 0) {
        spans.add(
            new RowSpan(
                entry.spec().name(),
                entry.id() == first ? KeyFormat.row(from) : Bytes.EMPTY,
                entry.id() == last ? KeyFormat.row(to) : null));
      }
    }
    return spans;
  }

  /** Creates a table durably, unless one of that name exists. */
  synchronized TableEntry create(TableSpec spec) {
    TableEntry there = entries.get(spec.name());
    if (there != null) {
      return there;
    }
    // Never again: after an unknown outcome the store may have a table of this number.
    TableEntry made = new TableEntry(nextId++, spec);
    WriteRecords records = new WriteRecords(256);
    put(records, NEXT_KEY, Integer.toUnsignedString(nextId));
    put(records, TABLE_PREFIX + spec.name(), made.toText());
    writer.submit(() -> records, Durability.SYNCED).await();
    entries.put(spec.name(), made);
    TableList.write(database);
    return made;
  }

  /** Deletes a table and its cells durably; does nothing if there is no such table. */
  synchronized void drop(String name) {
    TableEntry entry = entries.get(name);
    if (entry == null) {
      return;
    }
    GrowingBytes from = new GrowingBytes(KeyFormat.TABLE_LENGTH);
    from.addInt(entry.id());
    GrowingBytes to = new GrowingBytes(KeyFormat.TABLE_LENGTH);
    to.addInt(entry.id() + 1);
    WriteRecords records = new WriteRecords(256);
    records.delete(database.catalogFamily(), key(TABLE_PREFIX + name));
    records.deleteRange(database.cellsFamily(), from, to);
    GroupCommit.Decision decision =
        () -> {
          entry.drop();
          return records;
        };
    writer.submit(decision, Durability.SYNCED).await();
    entries.remove(name);
    TableList.write(database);
  }

  private void put(WriteRecords records, String name, String text) {
    byte[] value = text.getBytes(StandardCharsets.UTF_8);
    records.put(database.catalogFamily(), key(name), value.length).add(value, 0, value.length);
  }

  private static GrowingBytes key(String name) {
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    GrowingBytes key = new GrowingBytes(bytes.length);
    key.add(bytes, 0, bytes.length);
    return key;
  }
}
