package dev.varve.store.rocksdb;

import dev.varve.store.FileCheck;
import dev.varve.store.StoreException;
import dev.varve.store.rocksdb.wal.LogBatches;
import dev.varve.store.rocksdb.wal.Manifest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.rocksdb.Options;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

/** Copies all readable cells into a new database. */
final class Rebuild {
  private static final int BATCH_BYTES = 1 << 20;

  private final Path directory;
  private final Path draft;
  private final RocksOptions options;
  private final Set<LostKeys> lost = new LinkedHashSet<>();

  /**
   * Creates a rebuild.
   *
   * @param draft the directory of the new database, which is created
   */
  Rebuild(Path directory, Path draft, RocksOptions options) {
    this.directory = directory;
    this.draft = draft;
    this.options = options;
  }

  /**
   * Copies the cells.
   *
   * @return the ranges of keys that could not be read
   */
  List<LostKeys> run(TableSet tables, Manifest manifest, FileCheck progress) throws IOException {
    lost.addAll(tables.lost());
    NativeHandles handles = new NativeHandles();
    try (Database fresh = new Database(draft, options, handles)) {
      long catalog = fill(fresh, fresh.catalogFamily(), tables, progress);
      long cells = fill(fresh, fresh.cellsFamily(), tables, progress);
      replay(fresh, manifest.firstLog(), catalog, cells);
      TableList.restore(directory, fresh);
      fresh.noteCleanStop();
    } catch (RocksDBException e) {
      throw new IOException("the new database cannot be written: " + e.getMessage(), e);
    } catch (StoreException e) {
      throw new IOException(e.getMessage(), e);
    }
    return new ArrayList<>(lost);
  }

  /** Fills a column family from table files and returns their highest sequence number. */
  private long fill(Database fresh, int family, TableSet tables, FileCheck progress)
      throws IOException, RocksDBException {
    List<SstFile> files =
        tables.readable().stream().filter(file -> file.family() == family).toList();
    if (files.isEmpty()) {
      return 0;
    }
    progress.reading(
        "copying %d table files".formatted(files.size()), family == 0 ? 0 : tables.bytes());
    SstMerge merge = new SstMerge(files, lost::add);
    try (Options writing = fresh.tableOptions(options);
        TableFileWriter writer = new TableFileWriter(draft, "new-" + family + "-", writing)) {
      merge.run(writer);
      fresh.ingest(family, writer.files());
    }
    return merge.lastSequence();
  }

  /** Writes the edits that are in the logs and not yet in table files. */
  private void replay(Database fresh, long firstLog, long catalog, long cells)
      throws IOException, RocksDBException {
    WriteRecords records = new WriteRecords(BATCH_BYTES);
    LogBatches.read(
        directory,
        firstLog,
        (sequence, batch) -> {
          try (WriteBatch read = new WriteBatch(batch);
              LogEdits edits =
                  new LogEdits(records, sequence, family -> family == 0 ? catalog : cells)) {
            read.iterate(edits);
            if (records.byteCount() > BATCH_BYTES) {
              fresh.write(records);
              records.clear();
            }
          } catch (RocksDBException e) {
            throw new IOException(e.getMessage(), e);
          }
        });
    if (!records.isEmpty()) {
      fresh.write(records);
    }
    fresh.sync();
  }
}
