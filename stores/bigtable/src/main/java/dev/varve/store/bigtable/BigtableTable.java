package dev.varve.store.bigtable;

import com.google.cloud.bigtable.data.v2.models.Mutation;
import dev.varve.store.Admission;
import dev.varve.store.CellCursor;
import dev.varve.store.Durability;
import dev.varve.store.MutationBatch;
import dev.varve.store.Power;
import dev.varve.store.ReadPlan;
import dev.varve.store.ResumeToken;
import dev.varve.store.RowOutcome;
import dev.varve.store.RowOutcome.Status;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import dev.varve.store.adapter.ReadOnly;
import dev.varve.store.adapter.RowOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/** An open table. Several may share one mapping. */
final class BigtableTable implements Table {
  private final BigtableStore store;
  private final TableMapping mapping;
  private final TableSpec spec;
  private final Admission admission;
  private final boolean readOnly;
  private volatile boolean closed;

  private record Looked(int number, LookedWrite write) {}

  BigtableTable(BigtableStore store, TableMapping mapping, TableSpec spec, boolean readOnly) {
    this.store = store;
    this.mapping = mapping;
    this.spec = spec;
    this.admission = new Admission(spec, store.capabilities(spec));
    this.readOnly = readOnly;
  }

  @Override
  public TableSpec spec() {
    return spec;
  }

  /**
   * Applies a batch. Bigtable replicates every applied mutation in its own way, so both
   * durabilities are the same.
   */
  @Override
  public List<RowOutcome> apply(MutationBatch batch, Durability durability) {
    ensureOpen();
    store.usage().enter();
    try {
      MutationEncoder encoder = new MutationEncoder(mapping, batch);
      return RowOrder.apply(
          batch,
          store.capabilities(spec).limits().editsPerRow(),
          (of, first, end) -> reason(encoder, first, end),
          this::applyOrdered);
    } finally {
      store.usage().leave();
    }
  }

  /** Applies a batch in which no row occurs twice. */
  private List<RowOutcome> applyOrdered(MutationBatch batch) {
    MutationEncoder encoder = new MutationEncoder(mapping, batch);
    BatchWrite write = new BatchWrite(store, mapping);
    List<Looked> looked = new ArrayList<>();
    List<@Nullable RowOutcome> refused = new ArrayList<>();
    int end;
    for (int first = 0; first < batch.size(); first = end) {
      end = batch.mutationEnd(first);
      RowOutcome refusal = refusal(encoder, first, end);
      if (refusal == null && encoder.needsLook(first, end)) {
        looked.add(new Looked(refused.size(), new LookedWrite(store, encoder, first, end)));
      } else if (refusal == null) {
        add(encoder, first, end, refused.size(), write);
      }
      refused.add(refusal);
    }
    @Nullable RowOutcome[] outcomes = refused.toArray(new RowOutcome[0]);
    write.run(outcomes);
    writeLooked(looked, outcomes);
    return listed(outcomes);
  }

  /** Each of these writes takes two consecutive calls, so several run concurrently. */
  private void writeLooked(List<Looked> looked, @Nullable RowOutcome[] outcomes) {
    if (looked.isEmpty()) {
      return;
    }
    RowOutcome interrupted =
        new RowOutcome(
            Status.UNKNOWN, "writing to table '%s' was interrupted".formatted(spec.name()));
    looked.forEach(mutation -> outcomes[mutation.number()] = interrupted);
    int threads = Math.min(looked.size(), store.options().concurrency());
    try (ExecutorService writers =
        Executors.newFixedThreadPool(threads, Thread.ofVirtual().factory())) {
      for (Looked mutation : looked) {
        writers.execute(() -> {
          RowOutcome outcome = mutation.write().run();
          outcomes[mutation.number()] = outcome.applied() ? null : outcome;
        });
      }
    }
  }

  private @Nullable RowOutcome refusal(MutationEncoder encoder, int first, int end) {
    String gone = mapping.whyGone();
    if (gone != null) {
      return new RowOutcome(Status.NOT_APPLIED, gone);
    }
    String reason = reason(encoder, first, end);
    return reason == null ? null : new RowOutcome(Status.REJECTED, reason);
  }

  /** Returns why a mutation can never be applied; null if it can. */
  private @Nullable String reason(MutationEncoder encoder, int first, int end) {
    String refusal = admission.refusal(encoder.batch(), first, end);
    if (refusal == null && readOnly) {
      refusal = ReadOnly.reason(spec);
    }
    return refusal == null ? encoder.refusal(first, end) : refusal;
  }

  private static void add(
      MutationEncoder encoder, int first, int end, int number, BatchWrite write) {
    Mutation mutation = Mutation.create();
    int edits = 0;
    for (int i = first; i < end; i++) {
      edits += encoder.add(i, mutation);
    }
    if (edits > 0) {
      write.add(number, encoder.key(first), mutation, edits, encoder.weight(first, end));
    }
  }

  /** Returns an empty list if all mutations were applied. */
  private static List<RowOutcome> listed(@Nullable RowOutcome[] outcomes) {
    List<RowOutcome> list = new ArrayList<>();
    boolean allApplied = true;
    for (RowOutcome outcome : outcomes) {
      allApplied &= outcome == null;
      list.add(outcome == null ? RowOutcome.APPLIED : outcome);
    }
    return allApplied ? List.of() : list;
  }

  @Override
  public CellCursor read(ReadPlan plan, @Nullable ResumeToken resume) {
    ensureOpen();
    mapping.ensureThere();
    return store.begin(new BigtableCursor(store, mapping, plan, resume));
  }

  @Override
  public <P extends Power> Optional<P> power(Class<P> power) {
    boolean has = !readOnly && store.capabilities(spec).has(power);
    return has
        ? Optional.of(power.cast(new TablePowers(store, mapping, admission, this::ensureOpen)))
        : Optional.empty();
  }

  @Override
  public void close() {
    closed = true;
  }

  private void ensureOpen() {
    store.ensureOpen();
    if (closed) {
      throw new StoreException("table '%s' is closed".formatted(spec.name()));
    }
  }
}
