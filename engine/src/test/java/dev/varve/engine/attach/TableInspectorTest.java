package dev.varve.engine.attach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.engine.attach.Inspection.Candidate;
import dev.varve.layout.Binding;
import dev.varve.layout.CellSink;
import dev.varve.layout.Layout;
import dev.varve.layout.Layouts;
import dev.varve.layout.Refusal;
import dev.varve.layout.Step;
import dev.varve.layout.Steps;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.SampleGroup;
import dev.varve.model.Tags;
import dev.varve.model.Value;
import dev.varve.store.Cell;
import dev.varve.store.Durability;
import dev.varve.store.FamilySpec;
import dev.varve.store.MutationBatch;
import dev.varve.store.Store.OpenMode;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import dev.varve.store.memory.MemoryStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tables as other servers leave them: with their names, and nothing of ours beside. */
class TableInspectorTest {
  private final MemoryStore store = new MemoryStore();
  private long stamp = 1_790_000_000_000_000L;

  @Test
  void findsWidthsAndSaltOfOpenTsdb() {
    Map<String, String> made =
        Map.of(
            "metricWidth",
            "4",
            "tagkWidth",
            "2",
            "tagvWidth",
            "3",
            "saltWidth",
            "1",
            "saltBuckets",
            "7");
    write(Layouts.of("opentsdb", made), 40);

    Inspection inspection = inspect("opentsdb", Map.of(), Map.of());

    assertThat(inspection.isReadable()).isTrue();
    assertThat(inspection.whole()).hasSize(1);
    Candidate candidate = inspection.whole().getFirst();
    assertThat(candidate.parameters()).containsAllEntriesOf(made);
    assertThat(candidate.rows()).isGreaterThan(20).isEqualTo(candidate.explained());
    assertThat(candidate.evidence())
        .contains("metricWidth: UIDs in tsdb-uid are [4] bytes long")
        .anyMatch(line -> line.startsWith("saltBuckets 7: gives the salt of all"));
    assertThat(candidate.examples()).first().asString().contains("host");
  }

  @Test
  void findsTablesWithoutASalt() {
    write(Layouts.of("opentsdb", Map.of()), 20);

    assertThat(inspect("opentsdb", Map.of(), Map.of()).whole())
        .extracting(candidate -> candidate.parameters().get("saltWidth"))
        .containsExactly("0");
  }

  /** Rows of one metric all begin with the same bytes. */
  @Test
  void triesManyRowsOfOneMetric() {
    BatchBuilder batch = new BatchBuilder();
    for (int i = 0; i < 30; i++) {
      GroupKey key = GroupKey.of("cpu", Tags.of("host", "h" + i));
      batch.add(key, 1_700_000_000_000L, new Value.Real(i));
    }
    write(Layouts.of("opentsdb", Map.of()), batch.build());

    Candidate candidate = inspect("opentsdb", Map.of(), Map.of()).whole().getFirst();

    assertThat(candidate.rows()).isEqualTo(30);
  }

  @Test
  void believesWhatItIsToldAndShowsThatItIsWrong() {
    write(Layouts.of("opentsdb", Map.of()), 20);

    Inspection inspection = inspect("opentsdb", Map.of("saltWidth", "1"), Map.of());

    assertThat(inspection.whole()).isEmpty();
    assertThat(inspection.candidates().getFirst().examples()).isNotEmpty();
  }

  @Test
  void readsTheUnitOfKairosDbFromItsSpec() {
    write(Layouts.of("kairosdb", Map.of("unit", "milliseconds")), 10);

    Inspection inspection = inspect("kairosdb", Map.of(), Map.of());

    assertThat(inspection.whole())
        .extracting(candidate -> candidate.parameters().get("unit"))
        .containsExactly("milliseconds");
    assertThat(inspection.whole().getFirst().rows()).isEqualTo(10);
    assertThat(inspection.candidates()).hasSize(3);
  }

  @Test
  void takesAKeyspaceWithoutSpecForALegacyOne() {
    Layout layout = Layouts.of("kairosdb", Map.of("unit", "legacy"));
    write(layout, 10);
    store.drop("spec");

    assertThat(inspect("kairosdb", Map.of(), Map.of()).whole())
        .extracting(candidate -> candidate.parameters().get("unit"))
        .containsExactly("legacy");
  }

  @Test
  void readsHeroicRows() {
    write(Layouts.of("heroic", Map.of()), 10);

    Candidate candidate = inspect("heroic", Map.of(), Map.of()).whole().getFirst();

    assertThat(candidate.rows()).isPositive().isEqualTo(candidate.explained());
  }

  @Test
  void saysWhichTableIsMissingOrAnother() {
    assertThat(inspect("opentsdb", Map.of(), Map.of("tsdb", "mine")).tables().getFirst().problems())
        .containsExactly("the store has no table 'mine'");

    TableSpec other =
        new TableSpec(
            "tsdb",
            List.of(FamilySpec.latest("x")),
            dev.varve.model.Resolution.MILLISECONDS,
            dev.varve.store.Partitioning.NONE);
    store.open(other, OpenMode.CREATE_IF_ABSENT);
    assertThat(inspect("opentsdb", Map.of(), Map.of()).isReadable()).isFalse();

    assertThatThrownBy(() -> inspect("opentsdb", Map.of(), Map.of("tsd", "mine")))
        .hasMessageContaining("has no table 'tsd'; it has [tsdb, tsdb-uid]");
  }

  private Inspection inspect(String layout, Map<String, String> given, Map<String, String> tables) {
    return new TableInspector(store, layout, given, tables).inspect();
  }

  private void write(Layout layout, int series) {
    write(layout, batch(series));
  }

  private void write(Layout layout, Batch batch) {
    List<Table> tables = new ArrayList<>();
    for (int i = 0; i < layout.tables().size(); i++) {
      String name = layout.originalTables().get(i);
      tables.add(store.open(layout.tables().get(i).named(name), OpenMode.CREATE_IF_ABSENT));
    }
    Steps steps = new Steps(tables, () -> ++stamp);
    for (Step.TableCell cell : steps.run(layout.opening())) {
      MutationBatch edits = new MutationBatch();
      Cell put = cell.cell();
      edits.put(put.row(), put.family(), put.qualifier(), stamp / 1000, put.value());
      tables.get(cell.table()).apply(edits, Durability.SYNCED);
    }
    for (SampleGroup group : batch.groups()) {
      Binding binding = steps.run(layout.bind(group.key(), true)).orElseThrow();
      Edits edits = new Edits(tables.size());
      layout.encode(binding, group, stamp += 1_000_000, edits);
      for (int table = 0; table < tables.size(); table++) {
        tables.get(table).apply(edits.index(table), Durability.SYNCED);
        tables.get(table).apply(edits.data(table), Durability.SYNCED);
      }
    }
  }

  private static Batch batch(int series) {
    BatchBuilder batch = new BatchBuilder();
    for (int i = 0; i < series; i++) {
      GroupKey key = GroupKey.of("cpu" + i % 5, Tags.of("host", "h" + i));
      batch.add(key, 1_700_000_000_000L + i, new Value.Real(i + 0.5));
    }
    return batch.build();
  }

  private static final class Edits implements CellSink {
    private final List<MutationBatch> data = new ArrayList<>();
    private final List<MutationBatch> index = new ArrayList<>();

    private Edits(int tables) {
      for (int i = 0; i < tables; i++) {
        data.add(new MutationBatch());
        index.add(new MutationBatch());
      }
    }

    @Override
    public MutationBatch data(int table) {
      return data.get(table);
    }

    @Override
    public MutationBatch index(int table) {
      return index.get(table);
    }

    @Override
    public void refuse(int column, int sample, Refusal refusal) {
      throw new AssertionError(refusal.message());
    }
  }
}
