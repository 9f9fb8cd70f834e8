package dev.varve.layout.declared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.layout.Layout;
import dev.varve.layout.ReadScope;
import dev.varve.layout.RefusedException;
import dev.varve.layout.RowSamples;
import dev.varve.layout.guardrail.Finding;
import dev.varve.layout.guardrail.Guardrails;
import dev.varve.layout.guardrail.Rule;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.Attribute;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
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
import dev.varve.store.memory.MemoryStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Samples and metadata of an entity in one row: one read returns both, and the traps of dating
 * metadata 50,000 years ahead do not snap.
 */
class EntityTest {
  private static final GroupKey ENTITY = GroupKey.of("sensor", Tags.of("id", "7"));
  private static final long Y2009 = 1_230_768_000_000L;
  private static final long Y2010 = 1_262_304_000_000L;
  private static final long Y2011 = 1_293_840_000_000L;
  private static final long Y2012 = 1_325_376_000_000L;
  private static final long Y2013 = 1_356_998_400_000L;

  /** When the metadata was written: in 2011, in microseconds. */
  private static final long WRITTEN = 1_300_000_000_000_000L;

  private static final class Fixture implements AutoCloseable {
    private final Layout layout;
    private final MemoryStore store = new MemoryStore();
    private final Table table;

    Fixture(String name) {
      layout = Layouts.of(name, Map.of());
      table = store.open(layout.tables().getFirst(), OpenMode.CREATE_IF_ABSENT);
      Cells cells = new Cells(layout);
      BatchBuilder batch = new BatchBuilder();
      long[] years = {Y2009, Y2010, Y2011, Y2012, Y2013};
      double[] values = {0.98, 1.02, 0.93, 0.87, 1.09};
      for (int i = 0; i < years.length; i++) {
        batch.add(ENTITY, years[i], new Value.Real(values[i]));
      }
      cells.add(batch.build().groups().getFirst(), WRITTEN);
      put(cells.batch());
      describe("house", WRITTEN);
    }

    void describe(String label, long stamp) {
      Cells cells = new Cells(layout);
      cells.add(new Attribute(ENTITY, "label", null, new Value.Text(label)), stamp);
      put(cells.batch());
    }

    void put(MutationBatch batch) {
      assertThat(table.apply(batch, Durability.SYNCED)).isEmpty();
    }

    Bytes row() {
      Cells cells = new Cells(layout);
      cells.add(new Attribute(ENTITY, "x", null, new Value.Text("")), WRITTEN);
      return cells.stored().getFirst().row();
    }

    /** One read of samples and metadata. */
    List<String> read(TimeRange window) {
      ReadScope scope = new ReadScope(window, null, ReadScope.Versions.LATEST, true);
      return read(layout.select(scope));
    }

    List<String> read(List<FamilySelect> families) {
      ReadPlan plan = ReadPlan.of(List.of(Slice.row(Bytes.EMPTY, row())), families);
      List<String> found = new ArrayList<>();
      try (CellCursor cursor = table.read(plan, null)) {
        CellBatch page = new CellBatch();
        RowSamples samples = new RowSamples();
        while (cursor.next(page)) {
          samples.clear();
          layout.decode(page, 0, page.size(), samples);
          assertThat(samples.damages()).isEmpty();
          samples
              .vectors()
              .forEach(vector -> {
                for (int i = 0; i < vector.samples().size(); i++) {
                  found.add(String.valueOf(vector.samples().doubleAt(i)));
                }
              });
          samples
              .attributes()
              .forEach(attribute -> found.add(((Value.Text) attribute.value()).value()));
        }
      }
      return found;
    }

    @Override
    public void close() {
      store.close();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"entity", "entity-ranges"})
  void oneReadFromSomeTimeOnReturnsBoth(String name) {
    try (Fixture fixture = new Fixture(name)) {
      assertThat(fixture.read(new TimeRange(Y2012, Long.MAX_VALUE)))
          .containsExactly("1.09", "0.87", "house");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"entity", "entity-ranges"})
  void aWindowThatEndsDoesNotLoseTheMetadata(String name) {
    try (Fixture fixture = new Fixture(name)) {
      assertThat(fixture.read(new TimeRange(Y2010, Y2012)))
          .containsExactly("0.93", "1.02", "house");
      assertThat(fixture.read(new TimeRange(0, 1))).containsExactly("house");
    }
  }

  @Test
  void oneTimeRangeForBothFamiliesWorksWhereItIsOpenAndOnlyThere() {
    try (Fixture fixture = new Fixture("entity")) {
      TimeRange open = new TimeRange(Y2012, Long.MAX_VALUE);
      TimeRange closed = new TimeRange(Y2012, Y2013 + 1);
      assertThat(fixture.read(bothFamilies(open))).contains("house");
      assertThat(fixture.read(bothFamilies(closed))).containsExactly("1.09", "0.87");
    }
    try (Fixture fixture = new Fixture("entity-ranges")) {
      // Unshifted, the metadata of 2011 is missing from a window that begins later.
      TimeRange open = new TimeRange(Y2012, Long.MAX_VALUE);
      assertThat(fixture.read(bothFamilies(open))).doesNotContain("house");
    }
  }

  private static List<FamilySelect> bothFamilies(TimeRange times) {
    return List.of(
        new FamilySelect(0, List.of(), times, Integer.MAX_VALUE),
        new FamilySelect(1, List.of(), times, 1));
  }

  @ParameterizedTest
  @ValueSource(strings = {"entity", "entity-ranges"})
  void metadataCorrectedTwiceIsTheLastCorrection(String name) {
    try (Fixture fixture = new Fixture(name)) {
      fixture.describe("garage", WRITTEN + 1_000_000);
      fixture.describe("barn", WRITTEN + 2_000_000);
      assertThat(fixture.read(new TimeRange(Y2013, Long.MAX_VALUE)))
          .containsExactly("1.09", "barn");
    }
  }

  @Test
  void anOrdinaryPutDoesNotOverrideShiftedMetadataAndIsNeitherReadNorTakenForIt() {
    try (Fixture fixture = new Fixture("entity")) {
      MutationBatch batch = new MutationBatch();
      Cells cells = new Cells(fixture.layout);
      cells.add(new Attribute(ENTITY, "label", null, new Value.Text("barn")), WRITTEN);
      Cell shifted = cells.stored().getFirst();
      Cell ordinary =
          new Cell(shifted.row(), 1, shifted.qualifier(), WRITTEN / 1000, shifted.value());
      batch.put(ordinary.row(), 1, ordinary.qualifier(), ordinary.time(), ordinary.value());
      fixture.put(batch);
      assertThat(fixture.read(new TimeRange(Y2013, Long.MAX_VALUE)))
          .containsExactly("1.09", "house");
      assertThat(Cells.damages(fixture.layout, ordinary))
          .containsExactly(
              "cell time 1300000000000 lacks the shift of 1577847600000000 that attributes have");
    }
  }

  @Test
  void aDeleteUpToNowDoesNotReachTheMetadataAndOneOfTheFamilyDoes() {
    try (Fixture fixture = new Fixture("entity")) {
      Cells cells = new Cells(fixture.layout);
      cells.add(new Attribute(ENTITY, "label", null, new Value.Text("")), WRITTEN);
      Cell label = cells.stored().getFirst();
      long now = Y2013 + 1;
      MutationBatch upToNow = new MutationBatch();
      upToNow.deleteColumn(label.row(), 1, label.qualifier(), new TimeRange(0, now));
      fixture.put(upToNow);
      assertThat(fixture.read(new TimeRange(Y2013, Long.MAX_VALUE))).contains("house");
      MutationBatch family = new MutationBatch();
      family.deleteFamily(label.row(), 1);
      fixture.put(family);
      assertThat(fixture.read(new TimeRange(Y2013, Long.MAX_VALUE))).containsExactly("1.09");
    }
  }

  @Test
  void theCellOfMetadataLiesInTheYear52011() {
    Layout layout = Layouts.of("entity", Map.of());
    Cells cells = new Cells(layout);
    cells.add(new Attribute(ENTITY, "label", null, new Value.Text("house")), WRITTEN);
    assertThat(cells.stored().getFirst().time()).isEqualTo(1_579_147_600_000_000L);
    // 125 cycles of 400 Gregorian years, 146,097 days each.
    assertThat(CellTime.FIFTY_THOUSAND_YEARS_MILLIS).isEqualTo(125L * 146_097 * 86_400_000);
  }

  @Test
  void theShiftFitsIntoMicrosecondsAndNotIntoNanoseconds() {
    assertThat(Layouts.of("entity", Map.of("resolution", "us")).domain().attributes()).isTrue();
    assertThatThrownBy(() -> Layouts.of("entity", Map.of("resolution", "ns")))
        .isInstanceOf(DeclarationException.class)
        .hasMessageContaining(
            "a shift of 1577847600000000 ms exceeds half of the 64-bit range in ns; the maximum is"
                + " 4611686018427 ms");
  }

  @Test
  void tablesWithAnotherShiftGiveIt() {
    // 50,000 Julian years, as some tables have it.
    long julian = 50_000L * 31_557_600_000L;
    Layout layout = Layouts.of("entity", Map.of("shift", Long.toString(julian)));
    Cells cells = new Cells(layout);
    cells.add(new Attribute(ENTITY, "label", null, new Value.Text("house")), WRITTEN);
    assertThat(cells.stored().getFirst().time()).isEqualTo(WRITTEN / 1000 + julian);
  }

  @Test
  void noAgeOfCellsRemovesShiftedMetadataAndThatIsSaid() {
    assertThat(Guardrails.declaration(Layouts.of("entity", Map.of()), null))
        .extracting(Finding::rule)
        .containsExactly(Rule.SHIFTED_EXPIRY);
    assertThat(Guardrails.declaration(Layouts.of("entity-ranges", Map.of()), null)).isEmpty();
  }

  @Test
  void attributesWithATimeStandBesideThoseWithout() {
    Layout layout = Layouts.of("entity-ranges", Map.of());
    Cells cells = new Cells(layout);
    cells.add(new Attribute(ENTITY, "note", null, new Value.Text("a")), WRITTEN);
    cells.add(new Attribute(ENTITY, "note", -5L, new Value.Raw(Bytes.fromHex("00ff"))), WRITTEN);
    List<RowSamples.Found> found = new ArrayList<>();
    Cells.decode(
        layout,
        cells.stored(),
        (key, row) -> {
          assertThat(key).isEqualTo(ENTITY);
          assertThat(row.damages()).isEmpty();
          found.addAll(row.attributes());
        });
    assertThat(found)
        .containsExactly(
            new RowSamples.Found("note", null, new Value.Text("a")),
            new RowSamples.Found("note", -5L, new Value.Raw(Bytes.fromHex("00ff"))));
  }

  @Test
  void layoutsWithoutAPlaceForAttributesRefuseThem() {
    Cells cells = new Cells(Layouts.of("buckets", Map.of()));
    assertThatThrownBy(
            () -> cells.add(new Attribute(ENTITY, "label", null, new Value.Text("house")), WRITTEN))
        .isInstanceOf(RefusedException.class)
        .hasMessage("layout buckets has no place for attributes, such as 'label'");
  }
}
