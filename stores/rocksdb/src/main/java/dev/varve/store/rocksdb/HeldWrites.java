package dev.varve.store.rocksdb;

import dev.varve.store.StoreException;
import dev.varve.store.WriteHold;
import java.nio.file.Path;

/** Writes to a database that wait for a copy of it. */
final class HeldWrites implements WriteHold {
  private final RocksStore store;
  private final WriterPause pause;

  HeldWrites(RocksStore store, WriterPause pause) {
    this.store = store;
    this.pause = pause;
  }

  @Override
  public void copyTo(Path directory) {
    store
        .gate()
        .call(() -> {
          store.database().copyTo(directory);
          return directory;
        });
    if (!pause.isInForce()) {
      throw new StoreException(
          "copying the rocksdb store to %s took so long that writes have gone on: the copy is not of one moment; try again when the disk is less busy"
              .formatted(directory));
    }
  }

  @Override
  public void close() {
    pause.close();
  }
}
