package dev.varve.layout.declared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.layout.KeyPart;
import dev.varve.layout.Layout;
import dev.varve.layout.ReadScope;
import dev.varve.layout.ReadScope.Versions;
import dev.varve.layout.Refusal;
import dev.varve.layout.RefusedException;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Bytes;
import dev.varve.model.Column;
import dev.varve.model.GroupKey;
import dev.varve.model.SampleGroup;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.store.Cell;
import dev.varve.store.FamilySelect;
import dev.varve.store.QualifierRange;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeclaredLayoutTest {
  private static final TimeRange DAY = new TimeRange(0, 86_400_000);

  private static Layout layout(String key, String families) {
    return Layouts.of("layout: x\nkey: " + key + "\nfamilies: " + families, Map.of());
  }

  private static Cells write(Layout layout, GroupKey key, long time, Value value) {
    return write(layout, key, "value", time, value);
  }

  private static Cells write(Layout layout, GroupKey key, String field, long time, Value value) {
    BatchBuilder batch = new BatchBuilder().add(key, field, time, value);
    return new Cells(layout).add(batch.build().groups().getFirst(), 1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "[metric, tag: host, time]; m{}; declared.missing; m{} has no tag host",
        "[metric, tag: host, time]; m{a,host}; declared.tag; tag 'a' of m{a=\"1\",host=\"1\"} has no place in layout x, whose key has only [host]",
        "[metric, time]; m{a}; declared.tag; whose key has none",
        "[metric, tags, time]; m{}@{pod}; declared.resource; resource 'pod'",
        "[metric, resource: pod, time]; m{}; declared.missing; has no resource pod",
        "[metric: {width: 3}, time]; long{}; declared.width; metric 'long' takes 4 bytes, but the layout allows 3",
        "[metric: {transform: zero-pad, digits: 3}, time]; m{}; declared.number; 'm' is not a whole number of at most 3 digits"
      })
  void keysWithoutAPlaceAreRefusedByName(String key, String series, String rule, String reason) {
    Layout layout = layout(key, "{d: {qualifier: field}}");
    assertThatThrownBy(() -> write(layout, key(series), 0, new Value.Int64(1)))
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.refusal().rule()).isEqualTo(rule))
        .hasMessageContaining(reason);
  }

  /** {@code m{a,b}@{c}}: every value is 1. */
  private static GroupKey key(String text) {
    String tags = text.substring(text.indexOf('{') + 1, text.indexOf('}'));
    int at = text.indexOf('@');
    String resource = at < 0 ? "" : text.substring(at + 2, text.length() - 1);
    return new GroupKey(text.substring(0, text.indexOf('{')), tags(tags), tags(resource));
  }

  private static Tags tags(String names) {
    Tags tags = Tags.EMPTY;
    for (String name : List.of(names.split(",", -1))) {
      tags = name.isEmpty() ? tags : tags.with(name, "1");
    }
    return tags;
  }

  @Test
  void textsThatUtf8CannotCarryAndKeysThatAreTooLongAreRefused() {
    Layout layout = Layouts.of("buckets", Map.of());
    assertThatThrownBy(
            () -> write(layout, GroupKey.of("\ud800", Tags.EMPTY), 0, new Value.Int64(1)))
        .hasMessageContaining("unpaired surrogate");
    GroupKey longest = GroupKey.of("m".repeat(4080), Tags.EMPTY);
    assertThat(write(layout, longest, 0, new Value.Int64(1)).stored().getFirst().row().length())
        .isLessThanOrEqualTo(DeclaredLayout.ROW_KEY_MAX);
    GroupKey longer = GroupKey.of("m".repeat(4081), Tags.EMPTY);
    assertThatThrownBy(() -> write(layout, longer, 0, new Value.Int64(1)))
        .hasMessageContaining("would take 4097 bytes, more than the limit of 4096");
  }

  @Test
  void valuesOutsideAreRefusedOneByOneAndTheOthersKept() {
    Layout layout =
        layout(
            "[metric, bucket: 1h]",
            "{d: {fields: [value], qualifier: [offset: {unit: 1m}, value], value: empty}}");
    SampleGroup group =
        new BatchBuilder()
            .add(key("m{}"), 60_000, new Value.Int64(1))
            .add(key("m{}"), 60_001, new Value.Int64(2))
            .add(key("m{}"), "other", 120_000, new Value.Int64(3))
            .add(key("m{}"), 180_000, new Value.Text("x".repeat(20_000)))
            .build()
            .groups()
            .getFirst();
    Cells cells = new Cells(layout).add(group, 1);
    assertThat(cells.stored()).hasSize(1);
    assertThat(cells.refusals)
        .extracting(Refusal::rule)
        .containsExactlyInAnyOrder("declared.grid", "declared.field", "declared.qualifier");
    assertThat(cells.refusals)
        .extracting(Refusal::message)
        .contains(
            "time 60001 is not a multiple of 60000 ms after the start of its bucket at 0",
            "field 'other' has no place in layout x, which has [value]");
  }

  @Test
  void aTextThatIsNoUtf8IsRefused() {
    Column.Texts column = new Column.Texts("value", new byte[] {(byte) 0xff}, new int[] {1}, null);
    SampleGroup group = new SampleGroup(key("m{}"), 1, new long[] {0}, List.of(column));
    Cells cells = new Cells(Layouts.of("buckets", Map.of())).add(group, 1);
    assertThat(cells.refusals).extracting(Refusal::rule).containsExactly("declared.text");
    assertThat(cells.stored()).isEmpty();
  }

  @Test
  void timesOutsideTheDomainAreRefused() {
    Layout layout = Layouts.of("short-wide", Map.of());
    Cells cells = write(layout, key("m{}"), Long.MAX_VALUE - 1, new Value.Int64(1));
    assertThat(cells.refusals).extracting(Refusal::rule).containsExactly("declared.time");
    assertThat(cells.stored()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "'{transform: reverse-domain}', www.example.com, com.example.www",
    "'{transform: reverse-domain}', .a..b, b..a.",
    "'{transform: reverse}', 123, 321",
    "'{transform: zero-pad, digits: 5}', 42, 00042",
    "'{transform: zero-pad, digits: 2}', 0, 00",
    "'{width: 4}', ab, ab",
    "'{width: 4}', '', ''",
    "'{width: 4, transform: reverse}', abcd, dcba"
  })
  void textsAreChangedAndBack(String form, String text, String stored) {
    Layout layout = layout("[metric: " + form + ", tags, time]", "{d: {qualifier: field}}");
    Cell cell =
        write(layout, GroupKey.of(text, Tags.EMPTY), 0, new Value.Int64(1)).stored().getFirst();
    assertThat(cell.row().toUtf8()).startsWith(stored);
    Cells.decode(layout, List.of(cell), (key, row) -> assertThat(key.metric()).isEqualTo(text));
  }

  @ParameterizedTest
  @CsvSource({"07", "'+1'", "123456", "''", "1.0", "-1", "٣"})
  void numbersThatWouldNotComeBackAreRefused(String text) {
    Layout layout =
        layout("[metric: {transform: zero-pad, digits: 5}, time]", "{d: {qualifier: field}}");
    assertThatThrownBy(() -> write(layout, GroupKey.of(text, Tags.EMPTY), 0, new Value.Int64(1)))
        .isInstanceOf(RefusedException.class);
  }

  @Test
  void fieldsLiveInTheirFamilies() {
    Layout layout =
        layout(
            "[metric, tags, time]",
            "{a: {fields: [x, y], qualifier: field}, z: {fields: [z], qualifier: [fixed: q]}, r: {qualifier: field}}");
    assertThat(write(layout, key("m{}"), "y", 0, new Value.Int64(1)).stored().getFirst())
        .satisfies(cell -> assertThat(cell.family()).isZero());
    Cell only = write(layout, key("m{}"), "z", 0, new Value.Int64(1)).stored().getFirst();
    assertThat(only.family()).isEqualTo(1);
    assertThat(only.qualifier()).isEqualTo(Bytes.utf8("q"));
    Cell rest = write(layout, key("m{}"), "w", 0, new Value.Int64(1)).stored().getFirst();
    assertThat(rest.family()).isEqualTo(2);
    Cell misplaced = new Cell(rest.row(), 0, rest.qualifier(), 1, rest.value());
    assertThat(Cells.damages(layout, misplaced))
        .containsExactly("field 'w' has no place in family a");
    Cells.decode(
        layout,
        List.of(only),
        (key, row) -> assertThat(row.vectors().getFirst().field()).isEqualTo("z"));
  }

  @Test
  void readsWhatFieldsNeedAndNoMore() {
    Layout layout =
        layout(
            "[metric, tags, bucket: 1d]",
            "{a: {fields: [x, y], qualifier: [field, offset]}, r: {qualifier: [offset, field]}}");
    assertThat(layout.select(scope(Set.of("y", "x"))))
        .containsExactly(
            new FamilySelect(
                0,
                List.of(
                    QualifierRange.prefix(Bytes.fromHex("780001")),
                    QualifierRange.prefix(Bytes.fromHex("790001"))),
                TimeRange.ALL,
                1));
    assertThat(layout.select(scope(Set.of("w")))).containsExactly(FamilySelect.latest(1));
    assertThat(layout.select(scope(null))).hasSize(2);
    Layout columns = Layouts.of("tall-narrow", Map.of());
    assertThat(columns.select(scope(Set.of("a"))).getFirst().qualifiers())
        .containsExactly(QualifierRange.exactly(Bytes.utf8("a")));
  }

  private static ReadScope scope(@Nullable Set<String> fields) {
    return new ReadScope(DAY, fields, Versions.LATEST, false);
  }

  @Test
  void readsVersionsAsTheyAreAskedFor() {
    Layout layout = Layouts.of("amended", Map.of("versions", "5"));
    assertThat(layout.domain().versions()).isTrue();
    assertThat(select(layout, Versions.LATEST)).isEqualTo(FamilySelect.latest(0));
    assertThat(select(layout, Versions.ALL))
        .isEqualTo(new FamilySelect(0, List.of(), TimeRange.ALL, 5));
    assertThat(select(layout, new Versions.AsOf(7)))
        .isEqualTo(new FamilySelect(0, List.of(), new TimeRange(Long.MIN_VALUE, 8), 1));
    assertThat(Layouts.of("amended", Map.of("versions", "1")).domain().versions()).isFalse();
    assertThat(Layouts.of("market-data", Map.of()).domain().versions()).isTrue();
    assertThat(Layouts.of("cell-per-event", Map.of()).domain().versions()).isFalse();
  }

  private static FamilySelect select(Layout layout, Versions versions) {
    return layout.select(new ReadScope(DAY, null, versions, false)).getFirst();
  }

  @Test
  void readsCellTimesOfTheWindowWhereTheyAreTheEvents() {
    Layout layout =
        layout("[metric, tags, bucket: 1d]", "{d: {qualifier: field, time: {shifted: 1000}}}");
    assertThat(select(layout, Versions.LATEST).times()).isEqualTo(new TimeRange(1000, 86_401_000));
    assertThat(
            layout.select(ReadScope.of(new TimeRange(Long.MIN_VALUE, Long.MAX_VALUE))).getFirst())
        .isEqualTo(FamilySelect.all(0));
    assertThat(layout.domain().times().to()).isEqualTo(Long.MAX_VALUE - 1000);
  }

  @Property
  void aQualifierCutsARowWhereATimeBegins(
      @ForAll @LongRange(min = 0, max = 86_399_999) long time,
      @ForAll @LongRange(min = 0, max = 86_399_999) long sample) {
    Layout layout = Layouts.of("buckets", Map.of());
    Bytes cut = layout.qualifierAt(0, time).orElseThrow();
    Bytes qualifier =
        write(layout, key("m{}"), "f", sample, new Value.Int64(1)).stored().getFirst().qualifier();
    assertThat(qualifier.compareTo(cut) >= 0).isEqualTo(sample >= time);
  }

  @Test
  void onlyOffsetsInFrontCutRows() {
    assertThat(Layouts.of("column-per-event", Map.of()).qualifierAt(0, 5)).isEmpty();
    assertThat(Layouts.of("tall-narrow", Map.of()).qualifierAt(0, 5)).isEmpty();
    Layout minutes = layout("[metric, bucket: 256m]", "{d: {qualifier: [offset: {unit: 1m}]}}");
    assertThat(minutes.qualifierAt(0, 60_000)).contains(Bytes.fromHex("01"));
    assertThat(minutes.qualifierAt(0, 60_001)).contains(Bytes.fromHex("02"));
    assertThat(minutes.qualifierAt(0, 255 * 60_000 + 1)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "buckets, true",
    "column-per-event, true",
    "tall-narrow, true",
    "market-data, true",
    "cell-per-event, false",
    "value-in-qualifier, false",
    "entity, false"
  })
  void saysWhetherARowIsInTheOrderOfTime(String name, boolean ordered) {
    assertThat(Layouts.of(name, Map.of()).rowsInTimeOrder()).isEqualTo(ordered);
  }

  /** On to the first bucket and the metric, but never into what tells single samples apart. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "[metric, tags, bucket: 1d, resource]; 3",
        "[metric, bucket: month, tags, bucket: 1h]; 2",
        "[bucket: 1d, tags, metric, resource]; 3",
        "[metric, tags, resource]; 3",
        "[metric, tags, time]; 2",
        "[salt: 4, metric, time, tags]; 2",
        "[metric, tags, bucket: month, time]; 3",
        "[time, metric]; 0"
      })
  void aPartitionIsBoundedAsFarAsItsKeyIs(String key, int parts) {
    String qualifier =
        key.contains("time") ? "field" : key.contains("bucket") ? "[offset, field]" : "field";
    String time = key.contains("time") || key.contains("bucket") ? "" : ", time: event";
    DeclaredLayout layout =
        (DeclaredLayout) layout(key, "{d: {qualifier: %s%s}}".formatted(qualifier, time));
    assertThat(layout.declaration().partition()).isEqualTo(parts);
    assertThat(layout.rows().partitionParts()).isEqualTo(parts);
  }

  @Test
  void everyReadyMadePartitionIsBoundedByTimeOrOneSeries() {
    for (Layouts.Entry entry : Layouts.list()) {
      for (Layout layout : Layouts.all(entry.name(), Map.of())) {
        if (!(layout instanceof DeclaredLayout)) {
          continue;
        }
        List<KeyPart> partition = layout.rows().parts().subList(0, layout.rows().partitionParts());
        boolean bucket = partition.stream().anyMatch(KeyPart.Time.class::isInstance);
        boolean oneSeries =
            layout.rows().parts().stream()
                .filter(part -> part.role().ofKey())
                .allMatch(partition::contains);
        boolean couldBeBounded =
            layout.rows().parts().stream()
                .anyMatch(part -> part instanceof KeyPart.Time time && !time.instant());
        assertThat(couldBeBounded ? bucket : oneSeries).as(layout.toString()).isTrue();
      }
    }
  }
}
