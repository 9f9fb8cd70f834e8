package dev.varve.store.memory;

import dev.varve.store.Capabilities;
import dev.varve.store.Power;
import dev.varve.store.SizeLimits;
import dev.varve.store.Store;
import dev.varve.store.StoreException;
import dev.varve.store.SyncedTo;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** A store in memory: the reference against which every other store is tested. */
public final class MemoryStore implements Store {
  static final String KIND = "memory";

  /** The limits of the embedded store, so that whatever works here also works there. */
  private static final SizeLimits LIMITS =
      new SizeLimits(4 << 10, 16 << 10, 1 << 20, 64 << 20, 100L << 20, Long.MAX_VALUE, 10, 100_000);

  private final Capabilities capabilities;

  private final Map<String, MemoryCells> tables = new TreeMap<>();
  private volatile boolean closed;

  public MemoryStore() {
    this(LIMITS);
  }

  /** Creates a store with custom limits. */
  public MemoryStore(SizeLimits limits) {
    this.capabilities =
        new Capabilities(
            Capabilities.CellTimes.ANY,
            Capabilities.Deletes.IMMEDIATE,
            Capabilities.RowOrder.TABLE,
            limits,
            Set.of(Power.ConditionalPut.class, Power.Increment.class, Power.RangeDelete.class));
  }

  @Override
  public String kind() {
    return KIND;
  }

  @Override
  public boolean isEmbedded() {
    return true;
  }

  @Override
  public SyncedTo syncedTo() {
    return SyncedTo.MEMORY;
  }

  @Override
  public Capabilities capabilities(TableSpec spec) {
    return capabilities;
  }

  @Override
  public synchronized List<String> check(TableSpec spec, Set<Class<? extends Power>> needs) {
    ensureOpen();
    List<String> reasons = new ArrayList<>(capabilities.reasonsAgainst("memory", spec, needs));
    MemoryCells cells = tables.get(spec.name());
    String difference = cells == null ? null : spec.differenceFrom(cells.spec());
    if (difference != null) {
      reasons.add(
          "table '%s' of the memory store exists with a different definition: %s"
              .formatted(spec.name(), difference));
    }
    return reasons;
  }

  @Override
  public synchronized Table open(TableSpec spec, OpenMode mode) {
    ensureOpen();
    List<String> reasons = check(spec, Set.of());
    if (!reasons.isEmpty()) {
      throw new StoreException(String.join("; ", reasons));
    }
    MemoryCells cells = tables.get(spec.name());
    if (cells == null) {
      if (mode != OpenMode.CREATE_IF_ABSENT) {
        throw new StoreException("the memory store has no table '%s'".formatted(spec.name()));
      }
      cells = new MemoryCells(spec, capabilities);
      tables.put(spec.name(), cells);
    }
    return new MemoryTable(this, spec, cells, mode == OpenMode.READ_ONLY);
  }

  @Override
  public synchronized List<String> tables() {
    ensureOpen();
    return List.copyOf(tables.keySet());
  }

  @Override
  public synchronized void drop(String table) {
    ensureOpen();
    MemoryCells dropped = tables.remove(table);
    if (dropped != null) {
      dropped.drop();
    }
  }

  @Override
  public synchronized Map<String, Double> figures() {
    ensureOpen();
    return Map.of("tables", (double) tables.size());
  }

  @Override
  public synchronized void close() {
    closed = true;
    tables.clear();
  }

  void ensureOpen() {
    if (closed) {
      throw new StoreException("the memory store is closed");
    }
  }
}
