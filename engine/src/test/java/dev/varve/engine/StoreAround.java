package dev.varve.engine;

import dev.varve.store.Capabilities;
import dev.varve.store.Collected;
import dev.varve.store.Power;
import dev.varve.store.Store;
import dev.varve.store.SyncedTo;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A store that delegates to another one, which outlives it. */
class StoreAround implements Store {
  final Store store;

  StoreAround(Store store) {
    this.store = store;
  }

  @Override
  public String kind() {
    return store.kind();
  }

  @Override
  public boolean isEmbedded() {
    return store.isEmbedded();
  }

  @Override
  public SyncedTo syncedTo() {
    return store.syncedTo();
  }

  @Override
  public String place(TableSpec spec) {
    return store.place(spec);
  }

  @Override
  public Capabilities capabilities(TableSpec spec) {
    return store.capabilities(spec);
  }

  @Override
  public List<String> check(TableSpec spec, Set<Class<? extends Power>> needs) {
    return store.check(spec, needs);
  }

  @Override
  public Table open(TableSpec spec, OpenMode mode) {
    return store.open(spec, mode);
  }

  @Override
  public Collected collected(TableSpec spec, Instant deleted) {
    return store.collected(spec, deleted);
  }

  @Override
  public List<String> tables() {
    return store.tables();
  }

  @Override
  public boolean exists(TableSpec spec) {
    return store.exists(spec);
  }

  @Override
  public void drop(String table) {
    store.drop(table);
  }

  @Override
  public Map<String, Double> figures() {
    return store.figures();
  }

  @Override
  public void close() {}
}
