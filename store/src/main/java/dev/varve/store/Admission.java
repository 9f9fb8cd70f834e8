package dev.varve.store;

import dev.varve.store.MutationBatch.Edit;
import org.jspecify.annotations.Nullable;

/**
 * Checks mutations before they reach a store, with the same rules for every store: size limits,
 * families that the table lacks, and cell times that the store cannot keep.
 */
public final class Admission {
  private final TableSpec spec;
  private final SizeLimits limits;
  private final Capabilities.@Nullable CellTimes times;

  public Admission(TableSpec spec, Capabilities capabilities) {
    this.spec = spec;
    this.limits = capabilities.limits();
    this.times = capabilities.cellTimes();
  }

  /**
   * Explains why the mutation made of edits {@code first} (inclusive) to {@code end} (exclusive)
   * can never be applied; null if it can.
   */
  public @Nullable String refusal(MutationBatch batch, int first, int end) {
    if (end - first > limits.editsPerRow()) {
      return "a mutation of %d edits exceeds the limit of %d edits for one row"
          .formatted(end - first, limits.editsPerRow());
    }
    int rowLength = batch.cells().rowLength(first);
    if (rowLength == 0) {
      return "an empty row key";
    }
    if (rowLength > limits.rowKey()) {
      return tooLong("row key", rowLength, limits.rowKey());
    }
    long bytes = 0;
    for (int i = first; i < end; i++) {
      String refusal = refusal(batch, i);
      if (refusal != null) {
        return refusal;
      }
      bytes += SizeLimits.editBytes(batch, i);
    }
    return bytes > limits.mutationBytes()
        ? "a mutation of %d edits and %d bytes exceeds the limit of %d bytes"
            .formatted(end - first, bytes, limits.mutationBytes())
        : null;
  }

  /**
   * Returns a batch with one put.
   *
   * @throws StoreException if the put can never be applied
   */
  public MutationBatch admitted(Cell cell) {
    MutationBatch batch = new MutationBatch();
    batch.put(cell.row(), cell.family(), cell.qualifier(), cell.time(), cell.value());
    String refusal = refusal(batch, 0, 1);
    if (refusal != null) {
      throw new StoreException("not written: " + refusal);
    }
    return batch;
  }

  private @Nullable String refusal(MutationBatch batch, int index) {
    Edit edit = batch.edit(index);
    CellBatch cells = batch.cells();
    int family = cells.family(index);
    if (edit != Edit.DELETE_ROW && (family < 0 || family >= spec.families().size())) {
      return "family %d does not exist: the table has %d".formatted(family, spec.families().size());
    }
    if (cells.qualifierLength(index) > limits.qualifier()) {
      return tooLong("qualifier", cells.qualifierLength(index), limits.qualifier());
    }
    return edit == Edit.PUT ? refusal(family, cells.time(index), cells.valueLength(index)) : null;
  }

  private @Nullable String refusal(int family, long time, int valueLength) {
    if (valueLength > limits.hardValue()) {
      return tooLong("value", valueLength, limits.hardValue());
    }
    if (time == Long.MAX_VALUE) {
      return "cell time %d, which no time range can contain".formatted(time);
    }
    if (spec.families().get(family).time() == TimeUse.DATA
        && times != null
        && !times.contains(time)) {
      return "cell time %d in family '%s', which keeps multiples of %d from %d to %d"
          .formatted(
              time,
              spec.families().get(family).name(),
              times.granularity(),
              times.min(),
              times.max());
    }
    return null;
  }

  private static String tooLong(String what, int length, int limit) {
    return "a %s of %d bytes exceeds the limit of %d bytes".formatted(what, length, limit);
  }
}
