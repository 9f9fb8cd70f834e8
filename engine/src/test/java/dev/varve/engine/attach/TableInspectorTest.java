package dev.varve.engine.attach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.engine.attach.Inspection.Candidate;
import dev.varve.layout.Binding;
import dev.varve.layout.CellSink;
import dev.varve.layout.Layout;
import dev.varve.layout.Refusal;
import dev.varve.layout.Step;
import dev.varve.layout.StepRunner;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.model.SampleGroup;
import dev.varve.model.Tags;
import dev.varve.model.Value;
import dev.varve.store.Cell;
import dev.varve.store.Durability;
import dev.varve.store.FamilySpec;
import dev.varve.store.MutationBatch;
import dev.varve.store.Partitioning;
import dev.varve.store.Store.OpenMode;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import dev.varve.store.memory.MemoryStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Inspects tables as other servers leave them: with the original names and none of our tables. */
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
        .anyMatch(line -> line.startsWith("saltBuckets 7: gives the salt of all 40 of them"));
    assertThat(candidate.examples()).first().asString().contains("host");
  }

  @Test
  void findsTablesWithoutASalt() {
    write(Layouts.of("opentsdb", Map.of()), 20);

    assertThat(inspect("opentsdb", Map.of(), Map.of()).whole())
        .extracting(candidate -> candidate.parameters().get("saltWidth"))
        .containsExactly("0");
  }

  /** All rows of one metric begin with the same bytes. */
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
  void countsSaltBucketsOfManyMetrics() {
    Map<String, String> made = Map.of("saltWidth", "1", "saltBuckets", "20");
    write(Layouts.of("opentsdb", made), batch(100, 60));

    List<Candidate> whole = inspect("opentsdb", Map.of(), Map.of()).whole();

    assertThat(whole).hasSize(1);
    assertThat(whole.getFirst().parameters()).containsAllEntriesOf(made);
  }

  @Test
  void demandsTheSaltBucketsWhereTooFewSeriesTell() {
    write(Layouts.of("opentsdb", Map.of("saltWidth", "1", "saltBuckets", "20")), 6);

    Inspection inspection = inspect("opentsdb", Map.of(), Map.of());

    assertThat(inspection.whole()).isEmpty();
    assertThat(inspection.demands())
        .singleElement()
        .asString()
        .startsWith("the number of salt buckets cannot be inferred")
        .endsWith("--param saltBuckets=N");
    assertThat(inspect("opentsdb", Map.of("saltBuckets", "20"), Map.of()).whole())
        .extracting(candidate -> candidate.parameters().get("saltBuckets"))
        .containsExactly("20");
    assertThat(inspect("opentsdb", Map.of("saltBuckets", "19"), Map.of()).whole()).isEmpty();
  }

  @Test
  void demandsTheSaltBucketsWhereNotAllSaltsAreSeen() {
    Map<String, String> made = Map.of("saltWidth", "2", "saltBuckets", "1000");
    write(Layouts.of("opentsdb", made), batch(100, 60));

    Inspection inspection = inspect("opentsdb", Map.of(), Map.of());

    assertThat(inspection.whole()).isEmpty();
    assertThat(inspection.demands()).hasSize(1);
    assertThat(inspect("opentsdb", made, Map.of()).whole()).hasSize(1);
  }

  @Test
  void findsWidthsWhereThereAreManyUids() {
    Map<String, String> made = Map.of("metricWidth", "4", "tagkWidth", "4", "tagvWidth", "4");
    write(Layouts.of("opentsdb", made), batch(300, 5));

    List<Candidate> whole = inspect("opentsdb", Map.of(), Map.of()).whole();

    assertThat(whole).hasSize(1);
    assertThat(whole.getFirst().parameters()).containsAllEntriesOf(made);
  }

  @Test
  void toleratesAFewRowsThatNobodyCanReadAndShowsThem() {
    write(Layouts.of("opentsdb", Map.of()), batch(10, 5));
    // A UID without a name, as a deletion in tsdb-uid leaves it.
    put("00000f50e22700000001000001");

    Candidate candidate = inspect("opentsdb", Map.of(), Map.of()).whole().getFirst();

    assertThat(candidate.rows() - candidate.explained()).isOne();
    assertThat(candidate.examples())
        .first()
        .asString()
        .contains("metrics UID 00000F has no name in tsdb-uid");
  }

  @Test
  void findsOutThatRowsHaveMoreTagsThanUsual() {
    Map<String, String> made = Map.of("maxTags", "12");
    BatchBuilder batch = new BatchBuilder();
    Map<String, String> tags = new TreeMap<>();
    for (int i = 0; i < 12; i++) {
      tags.put("tag" + i, "v");
      batch.add(GroupKey.of("m" + i, Tags.of(tags)), 1_700_000_000_000L, new Value.Real(i));
    }
    write(Layouts.of("opentsdb", made), batch.build());

    assertThat(inspect("opentsdb", Map.of(), Map.of()).whole())
        .extracting(candidate -> candidate.parameters().get("maxTags"))
        .containsExactly("12");
    assertThat(inspect("opentsdb", Map.of("maxTags", "8"), Map.of()).whole()).isEmpty();
  }

  @Test
  void trustsItsParametersAndShowsThatTheyAreWrong() {
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
  void findsWhichMetricsKairosDbListsByTag() {
    write(Layouts.of("kairosdb", Map.of("tagIndexed", "cpu1;cpu3(host)")), 10);

    Candidate candidate = inspect("kairosdb", Map.of(), Map.of()).whole().getFirst();

    assertThat(candidate.parameters()).containsEntry("tagIndexed", "cpu1;cpu3");
    assertThat(candidate.evidence())
        .contains(
            "tag_indexed_row_keys lists the newest rows of 2 metrics by tag, of 5 that were looked at, of 5",
            "metric 'cpu3': listed by [host], not by []");
  }

  @Test
  void tellsATagThatIsListedFromOneThatIsNot() {
    BatchBuilder batch = new BatchBuilder();
    GroupKey key = GroupKey.of("cpu", Tags.of("host", "a", "dc", "b"));
    batch.add(key, 1_700_000_000_000L, new Value.Real(1.5));
    write(Layouts.of("kairosdb", Map.of("tagIndexed", "cpu(host)")), batch.build());

    assertThat(inspect("kairosdb", Map.of(), Map.of()).whole().getFirst().parameters())
        .containsEntry("tagIndexed", "cpu(host)");
    assertThat(
            inspect("kairosdb", Map.of("tagIndexed", ""), Map.of()).whole().getFirst().parameters())
        .containsEntry("tagIndexed", "");
  }

  @Test
  void findsThatAllMetricsAreListedByTag() {
    write(Layouts.of("kairosdb", Map.of("tagIndexed", "*")), 10);

    assertThat(inspect("kairosdb", Map.of(), Map.of()).whole().getFirst().parameters())
        .containsEntry("tagIndexed", "*");
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
        .containsExactly("the store has no table 'mine'; --table tsdb=NAME names another");

    TableSpec other =
        new TableSpec(
            "tsdb", List.of(FamilySpec.latest("x")), Resolution.MILLISECONDS, Partitioning.NONE);
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
    StepRunner steps = new StepRunner(tables, () -> ++stamp);
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

  private void put(String row) {
    TableSpec spec = Layouts.of("opentsdb", Map.of()).tables().getFirst();
    try (Table table = store.open(spec, OpenMode.READ_WRITE)) {
      MutationBatch edit = new MutationBatch();
      edit.put(Bytes.fromHex(row), 0, Bytes.fromHex("0000"), 5, Bytes.fromHex("01"));
      table.apply(edit, Durability.SYNCED);
    }
  }

  private static Batch batch(int metrics, int hosts) {
    BatchBuilder batch = new BatchBuilder();
    for (int metric = 0; metric < metrics; metric++) {
      for (int host = 0; host < hosts; host++) {
        GroupKey key = GroupKey.of("metric" + metric, Tags.of("host", "h" + host));
        batch.add(key, 1_700_000_000_000L, new Value.Real(1.5));
      }
    }
    return batch.build();
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
