package dev.varve.layout.contract;

import dev.varve.store.Capabilities;
import dev.varve.store.Store;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import dev.varve.store.memory.MemoryStore;

/** Provides new, empty tables of a layout for one test. */
public interface TableSource extends AutoCloseable {
  Capabilities capabilities(TableSpec spec);

  Table open(TableSpec spec);

  @Override
  void close();

  /** Returns tables in a memory store of their own. */
  static TableSource inMemory() {
    MemoryStore store = new MemoryStore();
    return new TableSource() {
      @Override
      public Capabilities capabilities(TableSpec spec) {
        return store.capabilities(spec);
      }

      @Override
      public Table open(TableSpec spec) {
        return store.open(spec, Store.OpenMode.CREATE_IF_ABSENT);
      }

      @Override
      public void close() {
        store.close();
      }
    };
  }
}
