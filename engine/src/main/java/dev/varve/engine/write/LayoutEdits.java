package dev.varve.engine.write;

import dev.varve.engine.periods.PlacedLayout;
import dev.varve.layout.CellSink;
import dev.varve.layout.Refusal;
import dev.varve.store.MutationBatch;
import org.jspecify.annotations.Nullable;

/**
 * The cells of a batch in one layout, as edits of its tables. Reusable after {@link #clear}. For
 * one thread.
 */
final class LayoutEdits implements CellSink {
  /** Receives the layout's refusals of values of the group in progress. */
  interface Refusals {
    void refuse(int column, int sample, Refusal refusal);
  }

  private static final Refusals NONE =
      (column, sample, refusal) -> {
        throw new IllegalStateException("refused outside of a group: " + refusal.message());
      };

  private final PlacedLayout layout;
  private final @Nullable MutationBatch[] data;
  private final @Nullable MutationBatch[] index;
  private Refusals refusals = NONE;

  LayoutEdits(PlacedLayout layout) {
    this.layout = layout;
    int tables = layout.layout().tables().size();
    this.data = new @Nullable MutationBatch[tables];
    this.index = new @Nullable MutationBatch[tables];
  }

  PlacedLayout layout() {
    return layout;
  }

  void refusals(Refusals to) {
    refusals = to;
  }

  @Override
  public MutationBatch data(int table) {
    return made(data, table);
  }

  @Override
  public MutationBatch index(int table) {
    return made(index, table);
  }

  private static MutationBatch made(@Nullable MutationBatch[] batches, int table) {
    MutationBatch batch = batches[table];
    if (batch == null) {
      batch = new MutationBatch();
      batches[table] = batch;
    }
    return batch;
  }

  @Override
  public void refuse(int column, int sample, Refusal refusal) {
    refusals.refuse(column, sample, refusal);
  }

  /** Adds all edits of another instance for the same layout. */
  void addAll(LayoutEdits other) {
    for (int table = 0; table < data.length; table++) {
      addAll(other.index(table), index(table));
      addAll(other.data(table), data(table));
    }
  }

  private static void addAll(MutationBatch from, MutationBatch into) {
    for (int edit = 0; edit < from.size(); edit++) {
      into.addFrom(from, edit);
    }
  }

  int tables() {
    return data.length;
  }

  /** Returns the approximate memory of the edits, in bytes. */
  long byteCount() {
    long bytes = 0;
    for (int table = 0; table < data.length; table++) {
      bytes += data(table).cells().byteCount() + index(table).cells().byteCount();
    }
    return bytes;
  }

  void clear() {
    for (int table = 0; table < data.length; table++) {
      data(table).clear();
      index(table).clear();
    }
    refusals = NONE;
  }
}
