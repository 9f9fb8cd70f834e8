package dev.varve.engine;

import dev.varve.engine.config.DatasetConfig.Access;
import dev.varve.engine.config.DatasetConfig.Attached;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.error.WriteFailedException;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.request.ReadGuard;
import dev.varve.layout.Layout;
import dev.varve.layout.TextTable;
import dev.varve.model.Bytes;
import dev.varve.model.Resolution;
import dev.varve.model.TimeRange;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Durability;
import dev.varve.store.FamilySelect;
import dev.varve.store.MutationBatch;
import dev.varve.store.Power;
import dev.varve.store.QualifierRange;
import dev.varve.store.ReadPlan;
import dev.varve.store.RowOutcome;
import dev.varve.store.Slice;
import dev.varve.store.Store.OpenMode;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Named texts in an attached table, which the original server also reads and writes. */
final class OriginalTexts implements NamedTexts, AutoCloseable {
  /** Heap bytes of a text in addition to its characters. */
  private static final long TEXT_BYTES = 200;

  private final TextTable form;
  private final Table table;
  private final boolean readOnly;
  private final OpenDataset dataset;

  private OriginalTexts(TextTable form, Table table, boolean readOnly, OpenDataset dataset) {
    this.form = form;
    this.table = table;
    this.readOnly = readOnly;
    this.dataset = dataset;
  }

  /**
   * Opens a table; null if the dataset is not attached to tables that have it.
   *
   * @param of returns the table of a layout
   */
  static @Nullable OriginalTexts open(
      OpenDataset dataset, Function<Layout, Optional<TextTable>> of) {
    Attached attached = dataset.config().attached();
    if (attached == null || dataset.periods().all().getLast().isInBlocks()) {
      return null;
    }
    TextTable form = of.apply(dataset.periods().all().getLast().primary().layout()).orElse(null);
    if (form == null) {
      return null;
    }
    String name = form.spec().name();
    TableSpec spec = form.spec().attached(attached.tables().getOrDefault(name, name));
    if (!dataset.store().exists(spec)) {
      return null;
    }
    boolean readOnly = attached.access() != Access.CO_WRITE;
    Table table = dataset.store().open(spec, readOnly ? OpenMode.READ_ONLY : OpenMode.READ_WRITE);
    return new OriginalTexts(form, table, readOnly, dataset);
  }

  @Override
  public ServiceTexts.@Nullable Text get(String service, String serviceKey, String key) {
    ServiceTexts.requireName(service, serviceKey, key);
    ServiceTexts.Text[] found = {null};
    read(
        row(service, serviceKey),
        QualifierRange.exactly(form.qualifier(key)),
        ReadGuard.NONE,
        cells -> found[0] = text(cells));
    return found[0];
  }

  private Slice row(String service, String serviceKey) {
    Bytes row = form.row(service, serviceKey);
    return Slice.row(row, row);
  }

  /** A cell of a page. */
  private record PageCell(CellBatch page, int cell) {}

  private void read(
      Slice rows, @Nullable QualifierRange qualifiers, ReadGuard guard, Consumer<PageCell> into) {
    FamilySelect select =
        qualifiers == null
            ? FamilySelect.latest(0)
            : new FamilySelect(0, List.of(qualifiers), TimeRange.ALL, 1);
    CellBatch page = new CellBatch();
    try (CellCursor cursor = table.read(ReadPlan.of(List.of(rows), List.of(select)), null)) {
      while (cursor.next(page)) {
        guard.ensureWanted();
        for (int cell = 0; cell < page.size(); cell++) {
          into.accept(new PageCell(page, cell));
        }
      }
    }
  }

  private ServiceTexts.Text text(PageCell at) {
    CellBatch page = at.page();
    int cell = at.cell();
    return new ServiceTexts.Text(
        form.key(page.qualifier(cell)),
        page.value(cell).toUtf8(),
        Resolution.MILLISECONDS.convert(page.time(cell), Resolution.MICROSECONDS));
  }

  /** Writes with the time of now, or with a later one if a text of a faster clock is there. */
  @Override
  public void put(String service, String serviceKey, String key, String text) {
    requireWritable();
    ServiceTexts.requireLength(text);
    ServiceTexts.Text before = get(service, serviceKey, key);
    long time = timeAfter(before);
    MutationBatch edits = new MutationBatch();
    edits.put(form.row(service, serviceKey), 0, form.qualifier(key), time, Bytes.utf8(text));
    apply(edits);
  }

  private long timeAfter(ServiceTexts.@Nullable Text before) {
    long now =
        Resolution.MICROSECONDS.convert(dataset.clock().systemMicros(), Resolution.MILLISECONDS);
    return before == null ? now : Math.max(now, before.modified() / 1000 + 1);
  }

  /** Compares and writes at once if the store can. */
  @Override
  public boolean putIf(
      String service, String serviceKey, String key, @Nullable String expected, String text) {
    requireWritable();
    ServiceTexts.requireLength(text);
    ServiceTexts.Text before = get(service, serviceKey, key);
    if (!Objects.equals(before == null ? null : before.text(), expected)) {
      return false;
    }
    Power.ConditionalPut power = table.power(Power.ConditionalPut.class).orElse(null);
    if (power == null) {
      put(service, serviceKey, key, text);
      return true;
    }
    Cell cell =
        new Cell(
            form.row(service, serviceKey),
            0,
            form.qualifier(key),
            timeAfter(before),
            Bytes.utf8(text));
    try {
      return power.putIf(cell, expected == null ? null : Bytes.utf8(expected));
    } catch (StoreException e) {
      throw failed(e);
    }
  }

  @Override
  public void delete(String service, String serviceKey, String key) {
    ServiceTexts.requireName(service, serviceKey, key);
    requireWritable();
    MutationBatch edits = new MutationBatch();
    edits.deleteColumn(form.row(service, serviceKey), 0, form.qualifier(key), TimeRange.ALL);
    apply(edits);
  }

  private void requireWritable() {
    if (readOnly) {
      throw new QueryRefusedException(
          "dataset '%s' is attached read-only, so its texts cannot be changed"
              .formatted(dataset.name()));
    }
  }

  private WriteFailedException failed(StoreException e) {
    return new WriteFailedException(
        "table '%s' cannot be written: %s".formatted(table.spec().name(), e.getMessage()),
        e.unknown());
  }

  private void apply(MutationBatch edits) {
    try {
      for (RowOutcome outcome : table.apply(edits, Durability.SYNCED)) {
        if (!outcome.applied()) {
          throw new WriteFailedException(
              "table '%s' cannot be written: %s".formatted(table.spec().name(), outcome.reason()),
              outcome.status() == RowOutcome.Status.UNKNOWN);
        }
      }
    } catch (StoreException e) {
      throw failed(e);
    }
  }

  @Override
  public List<String> serviceKeys(String service, ReadGuard guard) {
    throw new QueryRefusedException(
        "table '%s' of the original does not list the keys of service '%s': name one of them"
            .formatted(table.spec().name(), service));
  }

  @Override
  public List<ServiceTexts.Text> texts(
      String service, String serviceKey, String prefix, ReadGuard guard) {
    List<ServiceTexts.Text> texts = new ArrayList<>();
    read(
        row(service, serviceKey),
        null,
        guard,
        at -> {
          ServiceTexts.Text text = text(at);
          if (text.key().startsWith(prefix)) {
            guard.held(
                TEXT_BYTES + 2L * (text.key().length() + text.text().length()),
                "texts of services");
            texts.add(text);
          }
        });
    return texts;
  }

  @Override
  public void close() {
    table.close();
  }
}
