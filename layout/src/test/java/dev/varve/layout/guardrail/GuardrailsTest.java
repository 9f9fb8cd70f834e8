package dev.varve.layout.guardrail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.layout.Layout;
import dev.varve.layout.RefusedException;
import dev.varve.layout.declared.DeclarationException;
import dev.varve.layout.declared.Fault;
import dev.varve.layout.registry.Layouts;
import dev.varve.store.Capabilities;
import dev.varve.store.Capabilities.CellTimes;
import dev.varve.store.Capabilities.Deletes;
import dev.varve.store.Capabilities.RowOrder;
import dev.varve.store.SizeLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class GuardrailsTest {
  private static final long MB = 1 << 20;
  private static final SizeLimits BIGTABLE =
      new SizeLimits(4096, 16 << 10, 10 << 20, 100 << 20, 100 * MB, 256 * MB, 100, 100_000);

  private static final String OFFSETS = "{d: {qualifier: [offset, field]}}";
  private static final String FIELDS = "{d: {qualifier: field}}";
  private static final String EVENTS = "{d: {qualifier: field, time: event}}";

  private static String yaml(String key, String families, String... more) {
    return "layout: x\nkey: " + key + "\nfamilies: " + families + "\n" + String.join("\n", more);
  }

  /** Each rule with a declaration that violates it and one that barely complies. */
  static Stream<Arguments> declarations() {
    return Stream.of(
        Arguments.of(
            Rule.TIME_LEADS_KEY,
            yaml("[time, metric, tags]", FIELDS),
            yaml("[hash: 1, time, metric, tags]", FIELDS)),
        Arguments.of(
            Rule.TIME_LEADS_KEY,
            yaml("[literal: A, sequence, metric]", EVENTS),
            yaml("[tag: user, sequence, metric]", EVENTS)),
        Arguments.of(
            Rule.SINGLE_STREAM,
            yaml("[metric, time]", FIELDS),
            yaml("[metric, tag: user, time]", FIELDS)),
        Arguments.of(
            Rule.METRIC_BEFORE_TIME,
            yaml("[metric, bucket: 1h, tags]", OFFSETS),
            yaml("[metric, tag: user, bucket: 1h, tags]", OFFSETS)),
        Arguments.of(
            Rule.UNBOUNDED_ROW,
            yaml("[metric, tags]", EVENTS),
            yaml("[metric, tags]", EVENTS, "retention: 30d")),
        Arguments.of(
            Rule.UNBOUNDED_ROW,
            yaml("[metric, tags]", EVENTS),
            yaml("[metric, tags]", "{d: {qualifier: field, time: event, versions: 1000}}")),
        Arguments.of(
            Rule.EVENT_VERSIONS,
            yaml("[metric, tags, bucket: 1d]", "{d: {qualifier: field, time: event, versions: 3}}"),
            yaml("[metric, tags, bucket: 1d]", EVENTS)),
        Arguments.of(
            Rule.PACKED_OVERWRITES,
            yaml("[metric, tags, time]", "{d: {qualifier: [fixed: e], value: all}}"),
            yaml("[metric, tags, time]", "{d: {qualifier: [fixed: e], value: all, versions: 2}}")),
        Arguments.of(
            Rule.VALUE_TIES,
            yaml(
                "[metric, tags, bucket: 1d]",
                "{d: {qualifier: [field, value], value: empty, time: event}}"),
            yaml(
                "[metric, tags, bucket: 1d]",
                "{d: {qualifier: [field, value, offset], value: empty}}")),
        Arguments.of(
            Rule.SALT_OF_TIME,
            yaml("[salt: {buckets: 4, of: time}, metric, tags, time]", FIELDS),
            yaml("[salt: {buckets: 4, of: [metric, tags]}, metric, tags, time]", FIELDS)),
        Arguments.of(
            Rule.SALT_POWER,
            yaml("[salt: 3, metric, tags, time]", FIELDS),
            yaml("[salt: 4, metric, tags, time]", FIELDS)),
        Arguments.of(
            Rule.FAMILY_NAME,
            yaml("[metric, tags, time]", "{ninebytes: {qualifier: field}}"),
            yaml("[metric, tags, time]", "{eightbyt: {qualifier: field}}")),
        Arguments.of(
            Rule.SHIFTED_EXPIRY,
            yaml("[metric]", EVENTS, "retention: 30d", "attributes: {family: m, time: shifted}"),
            yaml("[metric]", EVENTS, "retention: 30d", "attributes: {family: m, time: server}")),
        Arguments.of(
            Rule.ALLOW_UNKNOWN,
            yaml("[metric, tags, time]", FIELDS, "allow: [salt-powers]"),
            yaml("[metric, tags, time]", FIELDS, "allow: [salt-power]")));
  }

  @ParameterizedTest
  @MethodSource("declarations")
  void declarationsAreLookedAt(Rule rule, String trips, String fine) {
    assertThat(declaration(trips)).contains(rule);
    assertThat(declaration(fine)).doesNotContain(rule);
  }

  private static List<Rule> declaration(String yaml) {
    return Guardrails.declaration(Layouts.of(yaml, Map.of()), null).stream()
        .map(Finding::rule)
        .toList();
  }

  /** Declarations that do not make a layout are reported under their rule too. */
  static Stream<Arguments> faults() {
    String key = "[metric, tags, bucket: %s]";
    return Stream.of(
        Arguments.of(
            Rule.BUCKET_LABEL,
            yaml("[metric, tags, bucket: {width: week, label: number}]", OFFSETS),
            yaml("[metric, tags, bucket: {width: week, label: text}]", OFFSETS)),
        Arguments.of(
            Rule.OFFSET_WIDTH,
            yaml(key.formatted("65537ms"), "{d: {qualifier: [offset: 2, field]}}"),
            yaml(key.formatted("65536ms"), "{d: {qualifier: [offset: 2, field]}}")),
        Arguments.of(
            Rule.SHIFT_OVERFLOW,
            yaml("[metric]", EVENTS, "resolution: ns", "attributes: {family: m, time: shifted}"),
            yaml("[metric]", EVENTS, "resolution: us", "attributes: {family: m, time: shifted}")),
        Arguments.of(
            Rule.SALT_COUNT,
            yaml("[salt: 65537, metric, tags, time]", FIELDS),
            yaml("[salt: 65536, metric, tags, time]", FIELDS)),
        Arguments.of(
            Rule.SALT_COUNT,
            yaml("[salt: 1, metric, tags, time]", FIELDS),
            yaml("[salt: 2, metric, tags, time]", FIELDS)));
  }

  @ParameterizedTest
  @MethodSource("faults")
  void aDeclarationThatOverflowsMakesNoLayout(Rule rule, String trips, String fine) {
    assertThatThrownBy(() -> Layouts.of(trips, Map.of()))
        .isInstanceOfSatisfying(
            DeclarationException.class,
            e -> assertThat(e.faults()).extracting(Fault::rule).containsExactly(rule.id()));
    assertThat(Layouts.of(fine, Map.of())).isNotNull();
  }

  @Test
  void aRetentionOfTheDatasetBoundsRowsToo() {
    Layout layout = Layouts.of(yaml("[metric, tags]", EVENTS), Map.of());
    assertThat(Guardrails.declaration(layout, Duration.ofDays(1))).isEmpty();
  }

  @Test
  void refusesWithAllReasonsAndSaysHowToOverruleThem() {
    Layout layout = Layouts.of(yaml("[metric, time]", FIELDS), Map.of());
    assertThatThrownBy(() -> Guardrails.enforce(layout, Guardrails.declaration(layout, null)))
        .isInstanceOfSatisfying(
            RefusedException.class,
            e -> assertThat(e.refusal().rule()).isEqualTo("guardrail.single-stream"))
        .hasMessageStartingWith("layout x is refused: single-stream: only the metric precedes")
        .hasMessageEndingWith(" (to overrule, add to the declaration: allow: [single-stream])");
  }

  @Test
  void aDeclarationMayOverrule() {
    Layout layout = Layouts.of(yaml("[metric, time]", FIELDS, "allow: single-stream"), Map.of());
    List<Finding> findings = Guardrails.declaration(layout, null);
    assertThat(findings).isEmpty();
    assertThat(Guardrails.enforce(layout, findings)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void readyMadeLayoutsAreWarnedOfWhatTheyTeach(boolean retained) {
    Duration retention = retained ? Duration.ofDays(30) : null;
    Map<String, List<Rule>> found = new TreeMap<>();
    for (Layouts.Entry entry : Layouts.list()) {
      for (Layout layout : Layouts.all(entry.name(), Map.of())) {
        List<Finding> findings = Guardrails.declaration(layout, retention);
        Guardrails.enforce(layout, findings)
            .forEach(finding ->
                found
                    .computeIfAbsent(layout.identity().name(), name -> new ArrayList<>())
                    .add(finding.rule()));
      }
    }
    assertThat(found)
        .isEqualTo(
            Map.of(
                "by-time", List.of(Rule.METRIC_BEFORE_TIME),
                "entity", List.of(Rule.SHIFTED_EXPIRY)));
  }

  private static Capabilities store(@Nullable CellTimes times, Deletes deletes) {
    return new Capabilities(times, deletes, RowOrder.TABLE, BIGTABLE, Set.of());
  }

  private static List<Rule> opening(Layout layout, String kind, Capabilities capabilities) {
    return Guardrails.opening(layout, kind, List.of(capabilities), null).stream()
        .map(Finding::rule)
        .toList();
  }

  /** A store that spreads partitions by hash. */
  private static final Capabilities SPREAD =
      new Capabilities(CellTimes.ANY, Deletes.IMMEDIATE, RowOrder.PARTITION, BIGTABLE, Set.of());

  private static final Capabilities ALL = store(CellTimes.ANY, Deletes.IMMEDIATE);

  @Test
  void countsFamiliesAgainstTheStore() {
    String families =
        "{a: {fields: [a], qualifier: field}, b: {fields: [b], qualifier: field}, c: {qualifier: field}}";
    Layout layout = Layouts.of(yaml("[metric, tags, time]", families), Map.of());
    assertThat(opening(layout, "hbase", families(2))).containsExactly(Rule.FAMILY_COUNT);
    assertThat(opening(layout, "hbase", families(3))).isEmpty();
  }

  private static Capabilities families(int count) {
    return new Capabilities(
        CellTimes.ANY,
        Deletes.IMMEDIATE,
        RowOrder.TABLE,
        new SizeLimits(4096, 16 << 10, 1, 1, 1, 1, count, 1),
        Set.of());
  }

  @Test
  void refusesCellTimesThatTheStoreDoesNotKeep() {
    Layout layout = Layouts.of("cell-per-event", Map.of());
    assertThat(opening(layout, "cassandra", store(null, Deletes.IMMEDIATE)))
        .contains(Rule.CELL_TIME);
    CellTimes coarse = new CellTimes(Long.MIN_VALUE, Long.MAX_VALUE, 1000);
    assertThat(opening(layout, "bigtable", store(coarse, Deletes.IMMEDIATE)))
        .containsExactly(Rule.CELL_TIME);
    assertThat(opening(layout, "rocksdb", ALL)).isEmpty();
    assertThat(opening(Layouts.of("buckets", Map.of()), "bigtable", store(null, Deletes.IMMEDIATE)))
        .isEmpty();
  }

  @Test
  void tellsOfTimesThatTheStoreDoesNotReach() {
    Layout layout = Layouts.of("entity-ranges", Map.of());
    CellTimes positive = new CellTimes(0, Long.MAX_VALUE, 1);
    assertThat(opening(layout, "bigtable", store(positive, Deletes.IMMEDIATE)))
        .containsExactly(Rule.CELL_TIME_RANGE);
    CellTimes all = new CellTimes(Long.MIN_VALUE, Long.MAX_VALUE - 1, 1);
    assertThat(opening(layout, "rocksdb", store(all, Deletes.IMMEDIATE))).isEmpty();
  }

  @Test
  void tellsOfDeletesThatHideLaterWrites() {
    Layout layout = Layouts.of("cell-per-event", Map.of());
    assertThat(opening(layout, "hbase", store(CellTimes.ANY, Deletes.MASK_OLDER)))
        .containsExactly(Rule.DELETE_MASKS);
    assertThat(opening(layout, "hbase", store(CellTimes.ANY, Deletes.IMMEDIATE))).isEmpty();
  }

  @Test
  void comparesRowKeysWithTheStore() {
    Layout layout = Layouts.of("buckets", Map.of());
    assertThat(opening(layout, "small", rowKey(4095))).containsExactly(Rule.ROW_KEY_LIMIT);
    assertThat(opening(layout, "small", rowKey(4096))).isEmpty();
  }

  private static Capabilities rowKey(int bytes) {
    return new Capabilities(
        CellTimes.ANY,
        Deletes.IMMEDIATE,
        RowOrder.TABLE,
        new SizeLimits(bytes, 16 << 10, 1, 1, 1, 1, 10, 1),
        Set.of());
  }

  @Test
  void partitionsOfHashPartitionedStoresNeedABound() {
    Layout byMetric =
        Layouts.of(yaml("[metric, tags, bucket: 1d]", OFFSETS, "partition: 2"), Map.of());
    assertThat(opening(byMetric, "cassandra", SPREAD)).containsExactly(Rule.UNBOUNDED_PARTITION);
    assertThat(opening(byMetric, "rocksdb", ALL)).isEmpty();
    assertThat(Guardrails.opening(byMetric, "cassandra", List.of(SPREAD), Duration.ofDays(1)))
        .isEmpty();
    Layout toTheBucket =
        Layouts.of(yaml("[metric, tags, bucket: 1d]", OFFSETS, "partition: 3"), Map.of());
    assertThat(opening(toTheBucket, "cassandra", SPREAD)).isEmpty();
  }

  /**
   * Layouts of single events cannot bound partitions without a retention; OpenTSDB's tables are
   * meant for HBase.
   */
  @Test
  void readyMadeLayoutsBoundTheirPartitionsWhereTheyCan() {
    List<String> unbounded =
        Layouts.list().stream()
            .map(Layouts.Entry::name)
            .filter(name ->
                Layouts.all(name, Map.of()).stream()
                    .anyMatch(layout ->
                        opening(layout, "cassandra", SPREAD).contains(Rule.UNBOUNDED_PARTITION)))
            .toList();
    assertThat(unbounded)
        .containsExactly(
            "tall-narrow",
            "single-timestamp-packed",
            "promoted",
            "newest-first",
            "companion",
            "opentsdb");
  }

  private static List<Rule> row(String kind, long bytes, long cells) {
    Capabilities capabilities =
        kind.equals("cassandra") ? SPREAD : store(CellTimes.ANY, Deletes.IMMEDIATE);
    return Guardrails.row(Layouts.of("buckets", Map.of()), kind, capabilities, bytes, cells)
        .stream()
        .map(Finding::rule)
        .toList();
  }

  @Test
  void rowsAreToldOfFromHalfOfTheSoftLimitOn() {
    assertThat(row("bigtable", 50 * MB - 1, 1)).isEmpty();
    assertThat(row("bigtable", 50 * MB, 1)).containsExactly(Rule.ROW_BYTES);
    assertThat(row("bigtable", 256 * MB, 1)).containsExactly(Rule.ROW_BYTES);
    assertThat(row("bigtable", 256 * MB + 1, 1)).containsExactly(Rule.ROW_BYTES_HARD);
  }

  @Test
  void partitionsAreToldOfByTheirCells() {
    assertThat(row("cassandra", 1, 99_999)).isEmpty();
    assertThat(row("cassandra", 1, 100_000)).containsExactly(Rule.ROW_CELLS);
    assertThat(row("rocksdb", 1, 100_000)).isEmpty();
  }

  @Test
  void valuesAreToldOfAndRefused() {
    Layout layout = Layouts.of("buckets", Map.of());
    assertThat(Guardrails.value(layout, BIGTABLE, 10 * MB)).isEmpty();
    assertThat(Guardrails.value(layout, BIGTABLE, 10 * MB + 1))
        .extracting(Finding::rule)
        .containsExactly(Rule.VALUE_BYTES);
    assertThat(Guardrails.value(layout, BIGTABLE, 100 * MB))
        .extracting(Finding::rule)
        .containsExactly(Rule.VALUE_BYTES);
    assertThat(Guardrails.value(layout, BIGTABLE, 100 * MB + 1))
        .extracting(Finding::rule)
        .containsExactly(Rule.VALUE_BYTES_HARD);
  }

  @Test
  void coordinatesAreWeighedAgainstValues() {
    Layout layout = Layouts.of("buckets", Map.of());
    assertThat(Guardrails.overhead(layout, 1000, 80_001, 10_000))
        .extracting(Finding::rule)
        .containsExactly(Rule.KEY_OVERHEAD);
    assertThat(Guardrails.overhead(layout, 1000, 80_000, 10_000)).isEmpty();
    assertThat(Guardrails.overhead(layout, 999, 80_001, 10_000)).isEmpty();
  }
}
