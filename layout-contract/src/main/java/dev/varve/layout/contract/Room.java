package dev.varve.layout.contract;

import dev.varve.model.Bytes;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Durability;
import dev.varve.store.MutationBatch;
import dev.varve.store.Power;
import dev.varve.store.ReadCost;
import dev.varve.store.ReadPlan;
import dev.varve.store.ResumeToken;
import dev.varve.store.RowOutcome;
import dev.varve.store.Slice;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A table in a room: the rows of a shared table that have a prefix, with the prefix removed. */
record Room(Table shared, TableSpec spec, Bytes prefix) implements Table {
  @Override
  public List<RowOutcome> apply(MutationBatch batch, Durability durability) {
    MutationBatch inside = new MutationBatch();
    for (int i = 0; i < batch.size(); i++) {
      Cell cell = batch.cells().cell(i);
      Bytes row = prefix.concat(cell.row());
      switch (batch.edit(i)) {
        case PUT -> inside.put(row, cell.family(), cell.qualifier(), cell.time(), cell.value());
        case DELETE_COLUMN ->
            inside.deleteColumn(row, cell.family(), cell.qualifier(), batch.deletedTimes(i));
        case DELETE_QUALIFIERS ->
            inside.deleteQualifiers(row, cell.family(), cell.qualifier(), cell.value());
        case DELETE_FAMILY -> inside.deleteFamily(row, cell.family());
        case DELETE_ROW -> inside.deleteRow(row);
      }
    }
    return shared.apply(inside, durability);
  }

  @Override
  public CellCursor read(ReadPlan plan, @Nullable ResumeToken resume) {
    if (resume != null) {
      throw new IllegalArgumentException("no test of a layout resumes a read");
    }
    List<Slice> slices = plan.slices().stream().map(this::inside).toList();
    return new Cursor(shared.read(plan.with(slices), null), prefix.length());
  }

  private Slice inside(Slice slice) {
    Bytes to = slice.toRow();
    return new Slice(
        prefix.concat(slice.partition()),
        prefix.concat(slice.fromRow()),
        slice.fromQualifier(),
        to == null ? null : prefix.concat(to),
        slice.toQualifier());
  }

  @Override
  public <P extends Power> Optional<P> power(Class<P> power) {
    if (power == Power.ConditionalPut.class) {
      return shared.power(Power.ConditionalPut.class).map(put -> power.cast(conditional(put)));
    }
    if (power == Power.Increment.class) {
      return shared.power(Power.Increment.class).map(add -> power.cast(increment(add)));
    }
    throw new IllegalArgumentException("no layout needs " + power.getSimpleName());
  }

  private Power.ConditionalPut conditional(Power.ConditionalPut put) {
    return (cell, expected) ->
        put.putIf(
            new Cell(
                prefix.concat(cell.row()),
                cell.family(),
                cell.qualifier(),
                cell.time(),
                cell.value()),
            expected);
  }

  private Power.Increment increment(Power.Increment increment) {
    return (row, family, qualifier, amount, time) ->
        increment.add(prefix.concat(row), family, qualifier, amount, time);
  }

  @Override
  public void close() {
    // The shared table belongs to all rooms.
  }

  private record Cursor(CellCursor shared, int prefixLength, CellBatch page) implements CellCursor {
    private Cursor(CellCursor shared, int prefixLength) {
      this(shared, prefixLength, new CellBatch());
    }

    @Override
    public boolean next(CellBatch into) {
      into.clear();
      boolean any = shared.next(page);
      for (int i = 0; i < page.size(); i++) {
        Cell cell = page.cell(i);
        into.add(
            new Cell(
                cell.row().slice(prefixLength, cell.row().length()),
                cell.family(),
                cell.qualifier(),
                cell.time(),
                cell.value()));
      }
      return any;
    }

    @Override
    public @Nullable ResumeToken token() {
      return shared.token();
    }

    @Override
    public ReadCost cost() {
      return shared.cost();
    }

    @Override
    public void cancel() {
      shared.cancel();
    }

    @Override
    public void close() {
      shared.close();
    }
  }
}
