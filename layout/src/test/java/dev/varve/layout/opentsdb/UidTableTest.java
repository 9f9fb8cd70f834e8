package dev.varve.layout.opentsdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.layout.Binding;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.RefusedException;
import dev.varve.layout.Step;
import dev.varve.layout.StepRunner;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import dev.varve.store.Cell;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AfterProperty;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UidTableTest {
  private static final GroupKey KEY =
      GroupKey.of("sys.cpu.user", Tags.of("host", "web01", "dc", "lga", "twin", "lga"));
  private static final String METRICS = Bytes.utf8("metrics").hex();
  private static final String TAGV = Bytes.utf8("tagv").hex();

  private final OpenTsdbLayout layout = OpenTsdbLayout.of(Map.of());
  private final TsdbTables tables = new TsdbTables(layout);

  @AfterEach
  @AfterProperty
  void close() {
    tables.close();
  }

  @Test
  void givesMetricThenTagsTheirNumbersInTheOrderOfAHashTable() {
    UidBinding binding = (UidBinding) tables.bind(layout, KEY);

    // Slots 8 (host), 14 (twin) and 15 (dc) of 16; both values "lga" share one UID.
    assertThat(binding.tsuid().hex())
        .isEqualTo("000001" + "000001000001" + "000002000002" + "000003000002");
    assertThat(tables.dump())
        .contains(
            "tsdb-uid id 00 6d657472696373 0000000000000001",
            "tsdb-uid id 00 7461676b 0000000000000003",
            "tsdb-uid id 00 74616776 0000000000000002",
            "tsdb-uid name 000003 7461676b 6463",
            "tsdb-uid id 6463 7461676b 000003")
        .hasSize(3 + 2 * 6);
    assertThat(tables.steps.run(layout.identify(row(binding)))).isEqualTo(KEY);
  }

  @Test
  void findsWhatIsThereAndNothingElse() {
    assertThat(tables.steps.run(layout.bind(KEY, false))).isEmpty();
    assertThat(tables.dump()).isEmpty();

    Binding bound = tables.bind(layout, KEY);
    int cells = tables.dump().size();
    assertThat(tables.steps.run(layout.bind(KEY, false))).contains(bound);
    assertThat(tables.bind(layout, KEY)).isEqualTo(bound);
    assertThat(tables.dump()).hasSize(cells);
  }

  @Test
  void asksForWhatNeverChangesAsSettled() {
    Step<Optional<Binding>> step = layout.bind(KEY, false);

    assertThat(step).isInstanceOf(Step.Look.class);
    Step.Look<Optional<Binding>> look = (Step.Look<Optional<Binding>>) step;
    assertThat(look.settled()).isTrue();
    assertThat(look.reads()).hasSize(7);
  }

  /** Two servers bind keys that share names, one request at a time, in any order. */
  @Property(tries = 300)
  void givesOneNameOneNumberWhoeverComesFirst(@ForAll long seed) {
    try (TsdbTables shared = new TsdbTables(layout)) {
      Random order = new Random(seed);
      List<GroupKey> keys =
          List.of(KEY, KEY, GroupKey.of("sys.cpu.user", Tags.of("host", "lga", "dc", "web01")));
      List<OneByOne> binders = new ArrayList<>();
      keys.forEach(key -> binders.add(new OneByOne(shared.steps, layout.bind(key, true))));
      List<OneByOne> running = new ArrayList<>(binders);
      while (!running.isEmpty()) {
        OneByOne next = running.get(order.nextInt(running.size()));
        if (next.advance()) {
          running.remove(next);
        }
      }

      assertThat(binders.get(0).result()).isEqualTo(binders.get(1).result());
      for (int i = 0; i < keys.size(); i++) {
        Bytes row = row((UidBinding) binders.get(i).result());
        assertThat(shared.steps.run(layout.identify(row))).isEqualTo(keys.get(i));
      }
      assertThat(shared.dump().stream().filter(cell -> cell.startsWith("tsdb-uid id")))
          .as("three counters and one forward cell a name")
          .hasSize(3 + 1 + 3 + 2);
    }
  }

  /** Runs a step one request at a time. */
  private static final class OneByOne {
    private final StepRunner steps;
    private Step<Optional<Binding>> step;

    private OneByOne(StepRunner steps, Step<Optional<Binding>> step) {
      this.steps = steps;
      this.step = step;
    }

    private boolean advance() {
      step =
          switch (step) {
            case Step.Done<Optional<Binding>> done -> done;
            case Step.Look<Optional<Binding>>(var reads, var settled, var then) ->
                steps.run(new Step.Look<>(reads, settled, cells -> Step.done(then.apply(cells))));
            case Step.Claim<Optional<Binding>>(var table, var cell, var expected, var then) ->
                steps.run(
                    new Step.Claim<>(table, cell, expected, put -> Step.done(then.apply(put))));
            case Step.Count<Optional<Binding>>(
                    var table,
                    var row,
                    var family,
                    var qualifier,
                    var amount,
                    var then) ->
                steps.run(
                    new Step.Count<>(
                        table, row, family, qualifier, amount, sum -> Step.done(then.apply(sum))));
            case Step.Remove<Optional<Binding>> remove ->
                throw new AssertionError("a binding removes nothing: " + remove);
          };
      return step instanceof Step.Done;
    }

    private Binding result() {
      return ((Step.Done<Optional<Binding>>) step).value().orElseThrow();
    }
  }

  @Test
  void goesPastTwoNumbersThatAreTakenAndGivesUpAfterThree() {
    tables.put(OpenTsdbLayout.UIDS, "name", "000001", METRICS, "61");
    tables.put(OpenTsdbLayout.UIDS, "name", "000002", METRICS, "62");
    UidBinding bound = (UidBinding) tables.bind(layout, key("c"));
    assertThat(bound.metric().hex()).isEqualTo("000003");

    for (String uid : List.of("000004", "000005", "000006")) {
      tables.put(OpenTsdbLayout.UIDS, "name", uid, METRICS, "64");
    }
    assertThatThrownBy(() -> tables.bind(layout, key("d")))
        .isInstanceOf(RefusedException.class)
        .hasMessage(
            "metrics 'd': got no UID in 3 attempts, each number was taken already; "
                + "is the counter in row 00 of tsdb-uid behind the UIDs?");
  }

  @ParameterizedTest
  @CsvSource({
    "1, 00000000000000fe, 00000000000000ff",
    "3, 0000000000fffffe, 0000000000ffffff",
    "8, 7ffffffffffffffe, 7fffffffffffffff"
  })
  void saysThatAllNumbersOfAWidthAreGone(String width, String before, String last) {
    OpenTsdbLayout narrow = OpenTsdbLayout.of(Map.of("metricWidth", width));
    try (TsdbTables full = new TsdbTables(narrow)) {
      full.put(OpenTsdbLayout.UIDS, "id", "00", METRICS, before);
      assertThat(((UidBinding) full.bind(narrow, key("last"))).metric().hex())
          .isEqualTo(last.substring(16 - 2 * Integer.parseInt(width)));
      assertThatThrownBy(() -> full.bind(narrow, key("one.too.many")))
          .isInstanceOfSatisfying(
              RefusedException.class,
              refused -> assertThat(refused.refusal().rule()).isEqualTo("opentsdb.uid"))
          .hasMessageStartingWith(
              "metrics 'one.too.many': all UIDs of %s bytes are assigned (metricWidth=%s)"
                  .formatted(width, width));
    }
  }

  @Test
  void refusesUidsOfAnotherWidth() {
    tables.put(OpenTsdbLayout.UIDS, "id", Bytes.utf8("m").hex(), METRICS, "00000001");
    assertThatThrownBy(() -> tables.bind(layout, key("m")))
        .isInstanceOf(DamagedCellException.class)
        .hasMessage(
            "tsdb-uid: the UID of metrics 'm' is 00000001, on 4 bytes, and metricWidth is 3");
  }

  @Test
  void saysWhichUidHasNoName() {
    tables.bind(layout, GroupKey.of("m", Tags.of("k", "v")));
    assertThatThrownBy(() ->
            tables.steps.run(
                layout.identify(Bytes.fromHex("00000150e22700" + "000001" + "00000a"))))
        .isInstanceOf(DamagedCellException.class)
        .hasMessage("row key: tagv UID 00000A has no name in tsdb-uid");
    tables.put(OpenTsdbLayout.UIDS, "name", "00000a", TAGV, "");
    assertThatThrownBy(() ->
            tables.steps.run(
                layout.identify(Bytes.fromHex("00000150e22700" + "000001" + "00000a"))))
        .hasMessage("tsdb-uid: value of UID 00000A is an empty name");
  }

  @Test
  void readsASeriesWithNamesThatTheOriginalWasConfiguredToTake() {
    tables.bind(layout, GroupKey.of("m", Tags.of("k", "v")));
    GroupKey special = GroupKey.of("m", Tags.of("k", "a:b"));
    tables.put(OpenTsdbLayout.UIDS, "id", Bytes.utf8("a:b").hex(), TAGV, "000009");
    tables.put(OpenTsdbLayout.UIDS, "name", "000009", TAGV, Bytes.utf8("a:b").hex());

    assertThat(tables.steps.run(layout.bind(special, false))).isPresent();
    assertThatThrownBy(() -> layout.bind(special, true))
        .hasMessage(
            "value of tag k 'a:b': character 1 is U+003A; "
                + "OpenTSDB takes the letters of Latin-1, digits and -_./");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "id|00|6d657472696373|0000000000000007|metrics counter: assigned 7",
        "id|6d|7461676b|000001|tagk name 'm': UID 000001",
        "name|00000a|74616776|e9|tagv UID 00000A: name é",
        "name|00000a|6d65747269635f6d657461|7b7d|metrics meta data of UID 00000A: JSON {}",
      })
  void describesItsCells(String family, String row, String qualifier, String value, String text) {
    assertThat(
            layout.describe(OpenTsdbLayout.UIDS, uidCell(family, row, qualifier, value)).summary())
        .isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "id|00|6d657472696373|07|value of the counter has 1 bytes, it takes 8",
        "id|6d|7461676b|0001|value 0001 is not a tagk UID of 3 bytes",
        "name|0a|74616776|e9|row key 0A is not a tagv UID of 3 bytes",
        "name|00000a|74616776|''|value is an empty name",
        "id|''|74616776|00000a|row key is an empty name",
        "id|6d|7461|00000a|qualifier 'ta' is none of metrics, tagk, tagv",
      })
  void refusesDamagedCells(String family, String row, String qualifier, String value, String why) {
    assertThatThrownBy(
            () -> layout.describe(OpenTsdbLayout.UIDS, uidCell(family, row, qualifier, value)))
        .isInstanceOf(DamagedCellException.class)
        .hasMessageStartingWith("tsdb-uid: " + why);
  }

  private static Cell uidCell(String family, String row, String qualifier, String value) {
    return new Cell(
        Bytes.fromHex(row),
        UidTable.SPEC.familyIndex(family),
        Bytes.fromHex(qualifier),
        0,
        Bytes.fromHex(value));
  }

  private Bytes row(UidBinding binding) {
    return Bytes.of(new RowKeys(OpenTsdbParameters.DEFAULTS).row(binding, 0));
  }

  private static GroupKey key(String metric) {
    return GroupKey.of(metric, Tags.of("k", "v"));
  }
}
