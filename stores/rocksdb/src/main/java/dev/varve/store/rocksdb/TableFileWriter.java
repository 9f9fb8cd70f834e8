package dev.varve.store.rocksdb;

import dev.varve.store.rocksdb.SstMerge.Sink;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rocksdb.EnvOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDBException;
import org.rocksdb.SstFileWriter;

/** Writes cells in key order into new table files of limited size. */
final class TableFileWriter implements Sink, AutoCloseable {
  private static final long FILE_BYTES = 64 << 20;

  private final Path folder;
  private final String prefix;
  private final Options options;
  private final EnvOptions environment = new EnvOptions();
  private final List<String> files = new ArrayList<>();
  private @Nullable SstFileWriter writer;
  private long written;

  /**
   * Creates a writer.
   *
   * @param prefix prefix of the file names
   * @param options how to write; the caller must close them
   */
  TableFileWriter(Path folder, String prefix, Options options) {
    this.folder = folder;
    this.prefix = prefix;
    this.options = options;
  }

  @Override
  public void put(byte[] key, byte[] value) throws IOException {
    try {
      SstFileWriter open = writer;
      if (open == null) {
        open = new SstFileWriter(environment, options);
        writer = open;
        String file = folder.resolve(prefix + files.size() + ".sst").toString();
        files.add(file);
        open.open(file);
      }
      open.put(key, value);
      written += key.length + value.length;
      if (written > FILE_BYTES) {
        finish();
      }
    } catch (RocksDBException e) {
      throw new IOException("a table file cannot be written: " + e.getMessage(), e);
    }
  }

  private void finish() throws RocksDBException {
    SstFileWriter open = writer;
    if (open != null) {
      open.finish();
      open.close();
      writer = null;
      written = 0;
    }
  }

  /** Completes the last file and returns the paths of all files. */
  List<String> files() throws IOException {
    try {
      finish();
    } catch (RocksDBException e) {
      throw new IOException("a table file cannot be written: " + e.getMessage(), e);
    }
    return files;
  }

  @Override
  public void close() {
    if (writer != null) {
      writer.close();
    }
    environment.close();
  }
}
