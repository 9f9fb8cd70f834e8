package dev.varve.store.adapter;

import dev.varve.model.Bytes;
import dev.varve.store.CellBatch;
import dev.varve.store.MutationBatch;
import dev.varve.store.RowOutcome;
import dev.varve.store.RowOutcome.Status;
import dev.varve.store.SizeLimits;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Preserves the order of a batch's mutations of one row, for stores that send mutations
 * concurrently and may reorder them. Such mutations are merged into one; if the result would be too
 * large, the rest is applied afterwards. A batch without repeated rows, the hot path, is applied
 * unchanged.
 */
public final class RowOrder {
  /** Mutations are merged up to this many bytes; a larger mutation stays alone. */
  private static final long MERGED_BYTES_MAX = 1 << 20;

  /**
   * Explains why the mutation from edit {@code first} (inclusive) to {@code end} (exclusive) can
   * never be applied; null if it can.
   */
  public interface Refusal {
    @Nullable String of(MutationBatch batch, int first, int end);
  }

  private record Mutation(int number, int first, int end) {}

  private final MutationBatch batch;
  private final int editsMax;
  private final Map<Bytes, Deque<Mutation>> left = new LinkedHashMap<>();
  private final List<@Nullable RowOutcome> outcomes = new ArrayList<>();

  private RowOrder(MutationBatch batch, int editsMax) {
    this.batch = batch;
    this.editsMax = editsMax;
  }

  /**
   * Applies a batch.
   *
   * @param editsMax maximum number of edits in one mutation
   * @param refusal consulted before mutations are merged, so that a rejected mutation takes no
   *     other down with it
   * @param apply applies a batch without repeated rows
   * @return the outcomes as for {@link dev.varve.store.Table#apply}; merged mutations share one
   *     outcome
   */
  public static List<RowOutcome> apply(
      MutationBatch batch,
      int editsMax,
      Refusal refusal,
      Function<MutationBatch, List<RowOutcome>> apply) {
    return repeatsRow(batch)
        ? new RowOrder(batch, editsMax).run(refusal, apply)
        : apply.apply(batch);
  }

  private static boolean repeatsRow(MutationBatch batch) {
    CellBatch cells = batch.cells();
    int end = batch.isEmpty() ? 0 : batch.mutationEnd(0);
    if (end == batch.size()) {
      return false;
    }
    // Open addressing: each slot holds the index of a mutation's first edit plus one, or 0.
    int[] table = new int[Integer.highestOneBit(batch.size()) * 4];
    for (int first = 0; first < batch.size(); first = batch.mutationEnd(first)) {
      int slot = hash(cells, first) & (table.length - 1);
      while (table[slot] != 0) {
        if (cells.sameRow(table[slot] - 1, first)) {
          return true;
        }
        slot = (slot + 1) & (table.length - 1);
      }
      table[slot] = first + 1;
    }
    return false;
  }

  private static int hash(CellBatch cells, int cell) {
    int hash = 1;
    int from = cells.rowOffset(cell);
    for (int i = from; i < from + cells.rowLength(cell); i++) {
      hash = 31 * hash + cells.bytes()[i];
    }
    return hash ^ (hash >>> 16);
  }

  private List<RowOutcome> run(Refusal refusal, Function<MutationBatch, List<RowOutcome>> apply) {
    int end;
    for (int first = 0; first < batch.size(); first = end) {
      end = batch.mutationEnd(first);
      String reason = refusal.of(batch, first, end);
      if (reason == null) {
        left.computeIfAbsent(batch.cells().row(first), row -> new ArrayDeque<>())
            .add(new Mutation(outcomes.size(), first, end));
      }
      outcomes.add(reason == null ? null : new RowOutcome(Status.REJECTED, reason));
    }
    while (!left.isEmpty()) {
      applyMergeable(apply);
    }
    return outcomes.stream().allMatch(outcome -> outcome == null || outcome.applied())
        ? List.of()
        : outcomes.stream().map(outcome -> outcome == null ? RowOutcome.APPLIED : outcome).toList();
  }

  /** Applies, for each row, the mutations that can be merged next. */
  private void applyMergeable(Function<MutationBatch, List<RowOutcome>> apply) {
    MutationBatch some = new MutationBatch();
    List<List<Mutation>> rows = new ArrayList<>();
    List<Deque<Mutation>> rests = new ArrayList<>();
    for (Deque<Mutation> rest : left.values()) {
      rows.add(takeMergeable(rest, some));
      rests.add(rest);
    }
    List<RowOutcome> ends = apply.apply(some);
    for (int i = 0; i < ends.size(); i++) {
      RowOutcome end = ends.get(i);
      rows.get(i).forEach(mutation -> outcomes.set(mutation.number, end));
      if (end.status() == Status.NOT_APPLIED || end.status() == Status.UNKNOWN) {
        // A store or a caller may still retry it, so it could be applied after its successors.
        RowOutcome skipped =
            new RowOutcome(
                Status.NOT_APPLIED, "an earlier mutation of the row failed: " + end.reason());
        rests.get(i).forEach(mutation -> outcomes.set(mutation.number, skipped));
        rests.get(i).clear();
      }
    }
    left.values().removeIf(Deque::isEmpty);
  }

  private List<Mutation> takeMergeable(Deque<Mutation> rest, MutationBatch into) {
    List<Mutation> some = new ArrayList<>();
    int edits = 0;
    long bytes = 0;
    do {
      Mutation next = rest.remove();
      some.add(next);
      for (int i = next.first; i < next.end; i++) {
        into.addFrom(batch, i);
      }
      edits += next.end - next.first;
      bytes += bytes(next);
    } while (!rest.isEmpty()
        && edits + rest.element().end - rest.element().first <= editsMax
        && bytes + bytes(rest.element()) <= MERGED_BYTES_MAX);
    return some;
  }

  private long bytes(Mutation mutation) {
    long bytes = 0;
    for (int i = mutation.first; i < mutation.end; i++) {
      bytes += SizeLimits.editBytes(batch, i);
    }
    return bytes;
  }
}
