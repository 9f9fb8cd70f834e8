package dev.varve.engine.home;

import dev.varve.engine.request.ReadGuard;
import dev.varve.model.Bytes;
import dev.varve.model.Resolution;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.FamilySelect;
import dev.varve.store.FamilySpec;
import dev.varve.store.Limits;
import dev.varve.store.MutationBatch;
import dev.varve.store.Partitioning;
import dev.varve.store.Power;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import dev.varve.store.Store;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Texts that services keep under a name of three parts. The last write of a name wins.
 *
 * <pre>
 * row        service 00 service key 00 key, UTF-8     // all rows are one partition
 * family     s
 * qualifier  empty
 * value      UTF-8
 * </pre>
 */
public final class ServiceTable implements AutoCloseable {
  /**
   * A stored text.
   *
   * @param stamp of the write, in microseconds since 1970
   */
  public record Entry(String serviceKey, String key, String text, long stamp) {}

  /** Heap bytes of an entry in addition to its characters. */
  private static final long ENTRY_BYTES = 200;

  private static final Bytes NUL = Bytes.of((byte) 0);

  private final Table table;

  ServiceTable(Store store, String name) {
    TableSpec spec =
        new TableSpec(
            name, List.of(FamilySpec.latest("s")), Resolution.MICROSECONDS, Partitioning.NONE);
    this.table = store.open(spec, Store.OpenMode.CREATE_IF_ABSENT);
  }

  Table table() {
    return table;
  }

  /** Returns the row of a name; no part may contain a NUL. */
  public static Bytes row(String service, String serviceKey, String key) {
    return Bytes.utf8(service + '\0' + serviceKey + '\0' + key);
  }

  /**
   * Writes a text durably.
   *
   * @throws StoreException if the write fails
   */
  public void put(Bytes row, String text, long stamp) {
    MutationBatch edits = new MutationBatch();
    edits.put(row, 0, Bytes.EMPTY, stamp, utf8(text));
    HomeWrite.apply(table, edits);
  }

  /**
   * Writes a text durably if the stored one is as expected. A store without conditional puts
   * compares and writes in two steps.
   *
   * @param expected null if no text must be stored
   * @return whether the text was written
   * @throws StoreException if the write fails
   */
  public boolean putIf(Bytes row, @Nullable String expected, String text, long stamp) {
    Power.ConditionalPut power = table.power(Power.ConditionalPut.class).orElse(null);
    if (power != null) {
      Bytes before = expected == null ? null : utf8(expected);
      return power.putIf(new Cell(row, 0, Bytes.EMPTY, stamp, utf8(text)), before);
    }
    Entry stored = get(row);
    if (!Objects.equals(stored == null ? null : stored.text(), expected)) {
      return false;
    }
    put(row, text, stamp);
    return true;
  }

  /**
   * Deletes a text durably. Does nothing if there is none.
   *
   * @throws StoreException if the write fails
   */
  public void delete(Bytes row) {
    MutationBatch edits = new MutationBatch();
    edits.deleteRow(row);
    HomeWrite.apply(table, edits);
  }

  /** Returns the text of a row; null if there is none. */
  public @Nullable Entry get(Bytes row) {
    Entry[] found = {null};
    read(Slice.row(Bytes.EMPTY, row), ReadGuard.NONE, entry -> found[0] = entry);
    return found[0];
  }

  /**
   * Passes on all entries whose rows begin with a prefix, in the order of their rows.
   *
   * @param guard accounts for the memory of each entry, and may end the read
   */
  public void read(Bytes prefix, ReadGuard guard, Consumer<Entry> into) {
    read(Slice.rows(Bytes.EMPTY, prefix, prefix.prefixEnd()), guard, into);
  }

  /** Returns whether any row begins with a prefix. */
  public boolean has(Bytes prefix) {
    Slice rows = Slice.rows(Bytes.EMPTY, prefix, prefix.prefixEnd());
    ReadPlan plan =
        ReadPlan.of(List.of(rows), List.of(FamilySelect.latest(0))).with(new Limits(1, 1, 1, 1));
    try (CellCursor cursor = table.read(plan, null)) {
      return cursor.next(new CellBatch());
    }
  }

  private void read(Slice rows, ReadGuard guard, Consumer<Entry> into) {
    CellBatch page = new CellBatch();
    ReadPlan plan = ReadPlan.of(List.of(rows), List.of(FamilySelect.latest(0)));
    try (CellCursor cursor = table.read(plan, null)) {
      while (cursor.next(page)) {
        guard.ensureWanted();
        for (int cell = 0; cell < page.size(); cell++) {
          Bytes row = page.row(cell);
          Bytes value = page.value(cell);
          guard.held(ENTRY_BYTES + 2L * (row.length() + value.length()), "texts of services");
          into.accept(entry(row, value, page.time(cell)));
        }
      }
    }
  }

  private Entry entry(Bytes row, Bytes value, long stamp) {
    String[] parts = row.toUtf8().split("\0", -1);
    if (parts.length != 3) {
      throw new StoreException(
          "table '%s' is damaged: row %s has %d parts instead of 3"
              .formatted(table.spec().name(), row, parts.length));
    }
    return new Entry(parts[1], parts[2], value.toUtf8(), stamp);
  }

  /** Returns the prefix of the rows of a service. */
  public static Bytes prefix(String service) {
    return Bytes.utf8(service).concat(NUL);
  }

  private static Bytes utf8(String text) {
    return Bytes.of(text.getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public void close() {
    table.close();
  }
}
