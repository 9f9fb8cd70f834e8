package dev.varve.store.bigtable;

import com.google.cloud.bigtable.data.v2.models.Mutation;
import com.google.cloud.bigtable.data.v2.models.Range.TimestampRange;
import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import dev.varve.model.Bytes;
import dev.varve.model.TimeRange;
import dev.varve.store.CellBatch;
import dev.varve.store.MutationBatch;
import dev.varve.store.MutationBatch.Edit;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Encodes the mutations of a batch as Bigtable's.
 *
 * <p>Two edits have no counterpart. Bigtable cannot delete a range of qualifiers. In a family that
 * shows only the newest cell of a column, a delete by time in Bigtable could delete hidden cells
 * and keep the visible one, or reveal hidden ones. Both edits are therefore derived from a read of
 * the row ({@link RowState}).
 */
final class MutationEncoder {
  private final TableMapping table;
  private final MutationBatch batch;

  MutationEncoder(TableMapping table, MutationBatch batch) {
    this.table = table;
    this.batch = batch;
  }

  TableMapping table() {
    return table;
  }

  MutationBatch batch() {
    return batch;
  }

  /**
   * Returns why the mutation can never be applied, beyond the limits of every store; null if it
   * can.
   */
  @Nullable String refusal(int first, int end) {
    for (int i = first; i < end; i++) {
      if (batch.edit(i) != Edit.DELETE_ROW && table.isAbsent(batch.cells().family(i))) {
        return "table '%s' was created without family '%s', and only the other program may add it"
            .formatted(table.spec().name(), family(i).name());
      }
      if (batch.edit(i) == Edit.PUT) {
        String refusal = family(i).refusal(batch.cells().time(i));
        if (refusal != null) {
          return refusal;
        }
      }
    }
    return null;
  }

  boolean needsLook(int first, int end) {
    for (int i = first; i < end; i++) {
      if (needsLook(i)) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether an edit depends on the current state of the row. */
  boolean needsLook(int edit) {
    return switch (batch.edit(edit)) {
      case DELETE_QUALIFIERS -> qualifier(edit).compareTo(bound(edit)) < 0;
      case DELETE_COLUMN -> {
        TimeRange times = batch.deletedTimes(edit);
        yield family(edit).isLatest()
            && !times.isEmpty()
            && (times.from() > 0 || !family(edit).isExact(times));
      }
      default -> false;
    };
  }

  FamilyMapping family(int edit) {
    return table.family(batch.cells().family(edit));
  }

  Bytes qualifier(int edit) {
    return batch.cells().qualifier(edit);
  }

  /** Returns the exclusive upper bound of a range of qualifiers. */
  Bytes bound(int edit) {
    return batch.cells().value(edit);
  }

  ByteString key(int first) {
    return SegmentRequests.bytes(batch.cells().row(first));
  }

  /** Returns the approximate size of the mutation in a request, in bytes. */
  long weight(int first, int end) {
    CellBatch cells = batch.cells();
    long weight = cells.rowLength(first);
    for (int i = first; i < end; i++) {
      weight += 40L + cells.qualifierLength(i) + cells.valueLength(i);
    }
    return weight;
  }

  /** Adds an edit that needs no read; returns the number of edits in Bigtable. */
  int add(int edit, Mutation into) {
    return switch (batch.edit(edit)) {
      case PUT -> put(edit, into);
      case DELETE_COLUMN -> deleteColumn(edit, into);
      case DELETE_FAMILY -> {
        into.deleteFamily(family(edit).name());
        yield 1;
      }
      case DELETE_ROW -> {
        into.deleteRow();
        yield 1;
      }
      case DELETE_QUALIFIERS -> 0;
    };
  }

  private int put(int edit, Mutation into) {
    CellBatch cells = batch.cells();
    FamilyMapping family = family(edit);
    ByteString qualifier =
        ByteString.copyFrom(
            cells.bytes(), cells.qualifierOffset(edit), cells.qualifierLength(edit));
    ByteString value =
        value(
            family,
            cells.time(edit),
            cells.bytes(),
            cells.valueOffset(edit),
            cells.valueLength(edit));
    into.setCell(family.name(), qualifier, family.micros(cells.time(edit)), value);
    return 1;
  }

  /** Returns a value in Bigtable's encoding. */
  static ByteString value(FamilyMapping family, long time, byte[] bytes, int from, int length) {
    if (!family.isStamped()) {
      return ByteString.copyFrom(bytes, from, length);
    }
    ByteBuffer stamped = ByteBuffer.allocate(FamilyMapping.STAMP_LENGTH + length);
    stamped.putLong(time).put(bytes, from, length);
    return UnsafeByteOperations.unsafeWrap(stamped.array());
  }

  private int deleteColumn(int edit, Mutation into) {
    FamilyMapping family = family(edit);
    ByteString qualifier = SegmentRequests.bytes(qualifier(edit));
    TimeRange times = batch.deletedTimes(edit);
    long from = family.firstMicrosFrom(times.from());
    long to = family.firstMicrosFrom(times.to());
    if (from == 0 && to == Long.MAX_VALUE) {
      into.deleteCells(family.name(), qualifier);
      return 1;
    }
    if (from < to) {
      TimestampRange range = TimestampRange.unbounded().startClosed(from);
      into.deleteCells(family.name(), qualifier, to == Long.MAX_VALUE ? range : range.endOpen(to));
      return 1;
    }
    return 0;
  }
}
