package dev.varve.store.bigtable;

import static com.google.cloud.bigtable.data.v2.models.Filters.FILTERS;

import com.google.cloud.bigtable.data.v2.models.ConditionalRowMutation;
import com.google.cloud.bigtable.data.v2.models.Filters.Filter;
import com.google.cloud.bigtable.data.v2.models.Mutation;
import com.google.cloud.bigtable.data.v2.models.TableId;
import com.google.protobuf.ByteString;
import dev.varve.model.Bytes;
import dev.varve.store.Admission;
import dev.varve.store.Cell;
import dev.varve.store.Power;
import dev.varve.store.QualifierRange;
import dev.varve.store.StoreException;
import dev.varve.store.adapter.CounterValue;
import java.nio.ByteBuffer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The optional powers of a table. Each reads the newest cell of a column, decides, and writes on
 * condition that the cell is still the newest. Bigtable's own increment cannot be used, because it
 * chooses the cell time, which the caller must choose.
 */
final class TablePowers implements Power.ConditionalPut, Power.Increment {
  /** Bigtable accepts filters of up to 20 KiB, and the condition contains the value twice. */
  private static final int COMPARED_BYTES_MAX = 8 << 10;

  private final BigtableStore store;
  private final TableMapping table;
  private final Admission admission;
  private final Runnable ensureOpen;

  TablePowers(BigtableStore store, TableMapping table, Admission admission, Runnable ensureOpen) {
    this.store = store;
    this.table = table;
    this.admission = admission;
    this.ensureOpen = ensureOpen;
  }

  @Override
  public boolean putIf(Cell cell, @Nullable Bytes expected) {
    Bytes put =
        change(
            "a conditional put to",
            cell,
            newest -> {
              boolean asExpected = expected == null ? newest == null : expected.equals(newest);
              return asExpected ? cell.value() : null;
            });
    return put != null;
  }

  @Override
  public long add(Bytes row, int family, Bytes qualifier, long amount, long time) {
    Cell cell = new Cell(row, family, qualifier, time, CounterValue.of(0));
    Bytes sum =
        change(
            "an increment in",
            cell,
            newest ->
                CounterValue.of(
                    amount + (newest == null ? 0 : CounterValue.read(newest, row, qualifier))));
    if (sum == null) {
      throw new IllegalStateException("an increment decided to write nothing");
    }
    return CounterValue.read(sum, row, qualifier);
  }

  /**
   * Puts the value that a decision derives from the newest value (null if there is none), at the
   * coordinate and time of a cell. Puts nothing if the decision returns null.
   *
   * @return the value put
   */
  private @Nullable Bytes change(
      String what, Cell cell, Function<@Nullable Bytes, @Nullable Bytes> decision) {
    ensureOpen.run();
    store.usage().enter();
    try {
      table.ensureThere();
      refuse(cell);
      Attempts attempts = store.attemptsAgainstOthers();
      do {
        Newest newest = newest(cell);
        Bytes changed = decision.apply(newest == null ? null : newest.cell().value());
        if (changed == null || putInPlaceOf(cell, changed, newest)) {
          return changed;
        }
      } while (attempts.awaitNext());
      throw new StoreException(
          "%s table '%s' failed: other writers keep changing the cell"
              .formatted(what, table.spec().name()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreException(
          "%s table '%s' was interrupted".formatted(what, table.spec().name()), e);
    } catch (FailedCall e) {
      throw e.toStoreException("%s table '%s'".formatted(what, table.spec().name()));
    } finally {
      store.usage().leave();
    }
  }

  private void refuse(Cell cell) {
    String refusal = new MutationEncoder(table, admission.admitted(cell)).refusal(0, 1);
    if (refusal != null) {
      throw new StoreException("not written: " + refusal);
    }
  }

  private Filter column(Cell cell) {
    return FILTERS
        .chain()
        .filter(
            SegmentRequests.range(
                table.family(cell.family()).name(), QualifierRange.exactly(cell.qualifier())))
        .filter(FILTERS.limit().cellsPerColumn(1));
  }

  /**
   * The newest cell of a column.
   *
   * @param stored its value in Bigtable's encoding
   * @param micros its time in Bigtable
   */
  private record Newest(Cell cell, ByteString stored, long micros) {}

  private @Nullable Newest newest(Cell of) {
    ReceivedRow row = store.readRow(table, SegmentRequests.bytes(of.row()), column(of));
    if (row == null) {
      return null;
    }
    FamilyMapping family = table.family(of.family());
    ByteString stored = ByteString.copyFrom(row.bytes(), row.valueAt(0), row.valueLength(0));
    byte[] value = stored.toByteArray();
    int stamp = family.isStamped() ? FamilyMapping.STAMP_LENGTH : 0;
    long time = family.isStamped() ? ByteBuffer.wrap(value).getLong() : family.time(row.micros(0));
    Bytes own = Bytes.copyOf(value, stamp, value.length - stamp);
    return new Newest(
        new Cell(of.row(), of.family(), of.qualifier(), time, own), stored, row.micros(0));
  }

  private boolean putInPlaceOf(Cell cell, Bytes value, @Nullable Newest newest) {
    FamilyMapping family = table.family(cell.family());
    ByteString qualifier = SegmentRequests.bytes(cell.qualifier());
    long time = newest == null ? cell.time() : Math.max(cell.time(), newest.cell().time());
    Mutation put = Mutation.create();
    if (family.isLatest()) {
      // Older cells must not reappear if this one is deleted by its time.
      put.deleteCells(family.name(), qualifier);
    }
    put.setCell(
        family.name(),
        qualifier,
        family.micros(time),
        MutationEncoder.value(family, time, value.toArray(), 0, value.length()));
    ConditionalRowMutation mutation =
        ConditionalRowMutation.create(TableId.of(table.id()), SegmentRequests.bytes(cell.row()));
    if (newest == null) {
      return !store.mutateIf(mutation.condition(column(cell)).otherwise(put));
    }
    ByteString stored = newest.stored();
    if (stored.size() > COMPARED_BYTES_MAX) {
      throw new StoreException(
          "a value of %d bytes cannot be compared, Bigtable compares at most %d"
              .formatted(stored.size(), COMPARED_BYTES_MAX));
    }
    // The time must match, too: a newer cell with the same value would hide the new one.
    Filter same =
        FILTERS
            .chain()
            .filter(column(cell))
            .filter(
                FILTERS
                    .timestamp()
                    .range()
                    .startClosed(newest.micros())
                    .endOpen(newest.micros() + FamilyMapping.MICROS_STEP))
            .filter(
                FILTERS
                    .value()
                    .range()
                    .startClosed(stored)
                    .endOpen(stored.concat(ByteString.copyFrom(new byte[1]))));
    return store.mutateIf(mutation.condition(same).then(put));
  }
}
