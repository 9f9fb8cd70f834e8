package dev.varve.layout.opentsdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.layout.Binding;
import dev.varve.layout.CellSink;
import dev.varve.layout.Layout;
import dev.varve.layout.Refusal;
import dev.varve.layout.RefusedException;
import dev.varve.layout.RowSamples;
import dev.varve.layout.StepRunner;
import dev.varve.model.Attribute;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.SampleGroup;
import dev.varve.model.Samples;
import dev.varve.model.Value;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Durability;
import dev.varve.store.FamilySelect;
import dev.varve.store.MutationBatch;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import dev.varve.store.Store.OpenMode;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import dev.varve.store.memory.MemoryStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/** The tables of a layout in memory, written and read through the layout. */
final class TsdbTables implements AutoCloseable {
  /** A sample that was read, with the stamp that ranks it among others of its instant. */
  record Found(GroupKey key, long time, Value value, long stamp) {}

  private final MemoryStore store = new MemoryStore();
  private final AtomicLong clock = new AtomicLong(1_795_251_084_000_000L);
  private final List<Table> tables;
  final StepRunner steps;
  final List<Refusal> refusals = new ArrayList<>();
  final List<String> damages = new ArrayList<>();
  final List<Attribute> attributes = new ArrayList<>();

  TsdbTables(Layout layout) {
    tables =
        layout.tables().stream().map(spec -> store.open(spec, OpenMode.CREATE_IF_ABSENT)).toList();
    steps = new StepRunner(tables, clock::incrementAndGet);
  }

  Binding bind(Layout layout, GroupKey key) {
    return steps.run(layout.bind(key, true)).orElseThrow();
  }

  /** Writes samples of one key together, in order; a refused key refuses all of them. */
  void write(Layout layout, GroupKey key, long[] times, Value... values) {
    BatchBuilder builder = new BatchBuilder();
    for (int i = 0; i < times.length; i++) {
      builder.add(key, times[i], values[i]);
    }
    write(layout, builder.build());
  }

  void write(Layout layout, Batch batch) {
    for (SampleGroup group : batch.groups()) {
      try {
        Sink sink = new Sink();
        layout.encode(
            bind(layout, group.key()), group, clock.getAndAdd(1000L * (group.size() + 1)), sink);
        apply(OpenTsdbLayout.DATA, sink.data);
      } catch (RefusedException e) {
        refusals.add(e.refusal());
      }
    }
  }

  void write(Layout layout, GroupKey key, long time, Value value) {
    write(layout, key, new long[] {time}, value);
  }

  void write(Layout layout, Attribute attribute) {
    Sink sink = new Sink();
    layout.encode(bind(layout, attribute.key()), attribute, clock.getAndAdd(1000), sink);
    apply(OpenTsdbLayout.DATA, sink.data);
  }

  void put(int table, String family, String row, String qualifier, String value) {
    put(table, family, row, qualifier, value, clock.getAndAdd(1000) / 1000);
  }

  void put(int table, String family, String row, String qualifier, String value, long cellTime) {
    MutationBatch batch = new MutationBatch();
    batch.put(
        Bytes.fromHex(row),
        tables.get(table).spec().familyIndex(family),
        Bytes.fromHex(qualifier),
        cellTime,
        Bytes.fromHex(value));
    apply(table, batch);
  }

  void apply(int table, MutationBatch batch) {
    assertThat(tables.get(table).apply(batch, Durability.SYNCED)).isEmpty();
  }

  CellBatch cells(int table) {
    TableSpec spec = tables.get(table).spec();
    List<FamilySelect> families =
        IntStream.range(0, spec.families().size()).mapToObj(FamilySelect::latest).toList();
    CellBatch all = new CellBatch();
    CellBatch page = new CellBatch();
    ReadPlan plan = ReadPlan.of(List.of(Slice.partition(Bytes.EMPTY)), families);
    try (CellCursor cursor = tables.get(table).read(plan, null)) {
      while (cursor.next(page)) {
        for (int i = 0; i < page.size(); i++) {
          all.addFrom(page, i);
        }
      }
    }
    return all;
  }

  /** Returns all cells without their times, as {@code table family row qualifier value}, sorted. */
  List<String> dump() {
    List<String> lines = new ArrayList<>();
    for (int table = 0; table < tables.size(); table++) {
      TableSpec spec = tables.get(table).spec();
      CellBatch cells = cells(table);
      for (int i = 0; i < cells.size(); i++) {
        Cell cell = cells.cell(i);
        lines.add(
            String.join(
                " ",
                spec.name(),
                spec.families().get(cell.family()).name(),
                cell.row().hex(),
                cell.qualifier().hex(),
                cell.value().hex()));
      }
    }
    return lines.stream().sorted().toList();
  }

  /** Returns all samples of the data table in the order of its rows. */
  List<Found> read(Layout layout) {
    List<Found> found = new ArrayList<>();
    CellBatch cells = cells(OpenTsdbLayout.DATA);
    RowSamples row = new RowSamples();
    int from = 0;
    for (int i = 1; i <= cells.size(); i++) {
      if (i == cells.size() || !cells.sameRow(i, i - 1)) {
        row.clear();
        layout.decode(cells, from, i, row);
        take(steps.run(layout.identify(cells.row(from))), row, found);
        from = i;
      }
    }
    return found;
  }

  private void take(GroupKey key, RowSamples row, List<Found> found) {
    for (RowSamples.Vector vector : row.vectors()) {
      Samples samples = vector.samples();
      for (int i = 0; i < samples.size(); i++) {
        found.add(new Found(key, samples.time(i), samples.value(i), samples.stamp(i)));
      }
    }
    row.attributes()
        .forEach(a -> attributes.add(new Attribute(key, a.name(), a.time(), a.value())));
    row.damages().forEach(damage -> damages.add(damage.reason()));
  }

  /** Returns the sample with the highest stamp of each instant. */
  Map<String, Value> newest(Layout layout) {
    Map<String, Found> newest = new TreeMap<>();
    for (Found sample : read(layout)) {
      newest.merge(
          sample.key() + " " + sample.time(), sample, (a, b) -> a.stamp() > b.stamp() ? a : b);
    }
    Map<String, Value> values = new TreeMap<>();
    newest.forEach((instant, sample) -> values.put(instant, sample.value()));
    return values;
  }

  @Override
  public void close() {
    store.close();
  }

  private final class Sink implements CellSink {
    private final MutationBatch data = new MutationBatch();

    @Override
    public MutationBatch data(int table) {
      assertThat(table).isEqualTo(OpenTsdbLayout.DATA);
      return data;
    }

    @Override
    public MutationBatch index(int table) {
      throw new AssertionError("opentsdb has no index but its UIDs");
    }

    @Override
    public void refuse(int column, int sample, Refusal refusal) {
      refusals.add(refusal);
    }
  }
}
