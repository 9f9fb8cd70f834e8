package dev.varve.store.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.model.Resolution;
import dev.varve.store.FamilySpec;
import dev.varve.store.Partitioning;
import dev.varve.store.StoreException;
import dev.varve.store.TableSpec;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.RocksDBException;

class TableCatalogTest {
  @TempDir private Path directory;

  /** Two tables of one number would have each other's cells. */
  @Test
  void givesNoNumberAgainWhoseTableMayExist() throws RocksDBException {
    try (NativeHandles handles = new NativeHandles();
        Database database = new Database(directory, RocksOptions.DEFAULTS, handles)) {
      FailingNotes log = new FailingNotes(database);
      GroupCommit writer = new GroupCommit(log);
      TableCatalog catalog = new TableCatalog(database, writer);
      log.failing = true;
      assertThatThrownBy(() -> catalog.create(spec("first")))
          .isInstanceOfSatisfying(StoreException.class, e -> assertThat(e.unknown()).isTrue());
      log.failing = false;
      TableEntry second = catalog.create(spec("second"));
      TableCatalog next = new TableCatalog(database, writer);
      assertThat(Objects.requireNonNull(next.find("second")).id()).isEqualTo(second.id());
      assertThat(Objects.requireNonNull(next.find("first")).id()).isNotEqualTo(second.id());
      writer.close();
    }
  }

  private static TableSpec spec(String name) {
    return new TableSpec(
        name, List.of(FamilySpec.latest("c")), Resolution.MILLISECONDS, Partitioning.NONE);
  }

  /** The log of a database; fails after writes that it has applied. */
  private static final class FailingNotes implements GroupCommit.Log {
    private final Database database;
    private volatile boolean failing;

    private FailingNotes(Database database) {
      this.database = database;
    }

    @Override
    public void write(WriteRecords batch) throws RocksDBException {
      database.write(batch);
    }

    @Override
    public void sync() throws RocksDBException {
      database.sync();
    }

    @Override
    public void noteSync() throws RocksDBException {
      if (failing) {
        throw new RocksDBException("no space left");
      }
      database.noteSync();
    }

    @Override
    public String condition() {
      return database.condition();
    }

    @Override
    public boolean isStarved() {
      return database.isStarved();
    }

    @Override
    public boolean isSuspect() {
      return database.isSuspect();
    }

    @Override
    public @Nullable String obstacle() {
      return database.obstacle();
    }

    @Override
    public WriteRecords probe() {
      return database.probe();
    }
  }
}
