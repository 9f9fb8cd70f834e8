package dev.varve.server.queries;

import dev.varve.model.TimeRange;
import dev.varve.store.Capabilities;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Durability;
import dev.varve.store.FamilySelect;
import dev.varve.store.MutationBatch;
import dev.varve.store.Power;
import dev.varve.store.ReadCost;
import dev.varve.store.ReadPlan;
import dev.varve.store.ResumeToken;
import dev.varve.store.RowOutcome;
import dev.varve.store.Slice;
import dev.varve.store.Store;
import dev.varve.store.StoreProvider;
import dev.varve.store.StoreProviders;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The stores {@code memory} and {@code rocksdb}, except that reads of samples repeatedly scan the
 * same rows and find nothing, like the reads that the store contract cancels: a single call never
 * returns in practice.
 */
public final class EndlessReads {
  /** Number of times that the rows are scanned: longer than any test. */
  private static final int TIMES = 100_000;

  private static final AtomicInteger CALLS = new AtomicInteger();

  private EndlessReads() {}

  /** Returns the number of such calls in progress. */
  static int underWay() {
    return CALLS.get();
  }

  public static final class OfMemory implements StoreProvider {
    @Override
    public String kind() {
      return "endless-memory";
    }

    @Override
    public Store open(Path directory, long memory, Map<String, String> options) {
      return new EndlessStore(StoreProviders.of("memory").open(directory, memory, options));
    }
  }

  public static final class OfRocksDb implements StoreProvider {
    @Override
    public String kind() {
      return "endless-rocksdb";
    }

    @Override
    public Store open(Path directory, long memory, Map<String, String> options) {
      return new EndlessStore(StoreProviders.of("rocksdb").open(directory, memory, options));
    }
  }

  private record EndlessStore(Store plain) implements Store {
    @Override
    public String kind() {
      return plain.kind();
    }

    @Override
    public boolean isEmbedded() {
      return plain.isEmbedded();
    }

    @Override
    public Capabilities capabilities(TableSpec spec) {
      return plain.capabilities(spec);
    }

    @Override
    public List<String> check(TableSpec spec, Set<Class<? extends Power>> needs) {
      return plain.check(spec, needs);
    }

    @Override
    public Table open(TableSpec spec, OpenMode mode) {
      Table table = plain.open(spec, mode);
      return spec.name().endsWith("buckets") ? new EndlessTable(table) : table;
    }

    @Override
    public List<String> tables() {
      return plain.tables();
    }

    @Override
    public void drop(String table) {
      plain.drop(table);
    }

    @Override
    public Map<String, Double> figures() {
      return plain.figures();
    }

    @Override
    public void close() {
      plain.close();
    }
  }

  private record EndlessTable(Table plain) implements Table {
    @Override
    public TableSpec spec() {
      return plain.spec();
    }

    @Override
    public List<RowOutcome> apply(MutationBatch batch, Durability durability) {
      return plain.apply(batch, durability);
    }

    @Override
    public CellCursor read(ReadPlan plan, @Nullable ResumeToken resume) {
      return new Counted(plain.read(endless(plan), resume));
    }

    private static ReadPlan endless(ReadPlan plan) {
      List<Slice> slices = new ArrayList<>();
      Collections.nCopies(TIMES, plan.slices()).forEach(slices::addAll);
      List<FamilySelect> nothing =
          plan.families().stream()
              .map(one -> new FamilySelect(one.family(), List.of(), new TimeRange(5, 9), 1))
              .toList();
      return new ReadPlan(
          slices, nothing, plan.direction(), plan.limits(), plan.budget(), plan.values(), true);
    }

    @Override
    public <P extends Power> Optional<P> power(Class<P> power) {
      return plain.power(power);
    }

    @Override
    public void close() {
      plain.close();
    }
  }

  private record Counted(CellCursor plain) implements CellCursor {
    @Override
    public boolean next(CellBatch into) {
      CALLS.incrementAndGet();
      try {
        return plain.next(into);
      } finally {
        CALLS.decrementAndGet();
      }
    }

    @Override
    public @Nullable ResumeToken token() {
      return plain.token();
    }

    @Override
    public ReadCost cost() {
      return plain.cost();
    }

    @Override
    public void cancel() {
      plain.cancel();
    }

    @Override
    public void close() {
      plain.close();
    }
  }
}
