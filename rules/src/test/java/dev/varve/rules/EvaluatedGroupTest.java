package dev.varve.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.varve.model.GroupKey;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import dev.varve.rules.AlertSink.Notification;
import dev.varve.rules.GroupStatus.Alert;
import dev.varve.rules.GroupStatus.Health;
import dev.varve.rules.GroupStatus.RuleStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Groups evaluated manually, minute by minute. */
class EvaluatedGroupTest {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final MemoryStore store = new MemoryStore();
  private final List<Notification> told = new ArrayList<>();
  private final List<String> problems = new ArrayList<>();

  private final EvaluatedGroup.Surroundings around =
      new EvaluatedGroup.Surroundings() {
        @Override
        public AlertSink alerts() {
          return told::addAll;
        }

        @Override
        public RuleListener listener() {
          return EvaluatedGroupTest.this::note;
        }

        @Override
        public void inTurn(RuleQueries queries, Runnable work) {
          work.run();
        }
      };

  private void note(
      RuleGroup group, @Nullable Rule rule, String problem, @Nullable Throwable cause) {
    problems.add(problem);
  }

  private void sample(String metric, Map<String, String> tags, int minute, double value) {
    Series series = GroupKey.of(metric, Tags.of(tags)).field(Series.DEFAULT_FIELD);
    store.add(series, minute(minute).toEpochMilli(), value);
  }

  private static Instant minute(int count) {
    return START.plus(MINUTE.multipliedBy(count));
  }

  private EvaluatedGroup group(int limit, Rule... rules) {
    return group(new RuleGroup("f", "g", MINUTE, null, limit, List.of(rules)), true);
  }

  private EvaluatedGroup group(RuleGroup group, boolean restored) {
    return new EvaluatedGroup(group, store, RuleSettings.DEFAULTS, around, restored);
  }

  private static Rule record(String name, String query, String... labels) {
    return new Rule.Recording(name, query, sorted(labels));
  }

  private static SortedMap<String, String> sorted(String... pairs) {
    SortedMap<String, String> map = new TreeMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      map.put(pairs[i], pairs[i + 1]);
    }
    return map;
  }

  private static Rule alert(String query, int holdMinutes, int keepMinutes) {
    return new Rule.Alerting(
        "A",
        query,
        MINUTE.multipliedBy(holdMinutes),
        MINUTE.multipliedBy(keepMinutes),
        sorted("severity", "{{ if gt $value 5.0 }}page{{ else }}warn{{ end }}"),
        sorted("text", "{{ $labels.host }} has {{ $value }}"));
  }

  private void run(EvaluatedGroup group, int minute) {
    group.evaluate(minute(minute), minute(minute));
  }

  private static RuleStatus only(EvaluatedGroup group) {
    return group.status().rules().getFirst();
  }

  @Test
  void aRuleSeesWhatTheOnesBeforeItHaveWritten() {
    sample("x", Map.of("host", "a"), 0, 2);
    EvaluatedGroup group =
        group(0, record("y", "x * 2", "site", "n", "host", ""), record("z", "y + 1"));
    run(group, 0);
    assertThat(store.query("{__name__=~'y|z'}", minute(0)))
        .containsExactly(entry("y{site=\"n\"}", 4.0), entry("z{site=\"n\"}", 5.0));
    assertThat(group.status().counts().samples()).isEqualTo(2);
  }

  @Test
  void endsSeriesThatVanish() {
    sample("x", Map.of("host", "a"), 0, 1);
    sample("x", Map.of("host", "b"), 0, 1);
    sample("x", Map.of("host", "a"), 1, 1);
    EvaluatedGroup group = group(0, record("y", "x > bool 0 and x @ end() offset 0s == x"));
    run(group, 0);
    assertThat(store.query("count(y)", minute(0))).containsValue(2.0);
    sample("x", Map.of("host", "b"), 1, Double.longBitsToDouble(0x7ff0000000000002L));
    run(group, 1);
    assertThat(store.query("y", minute(1))).containsOnlyKeys("y{host=\"a\"}");
  }

  @Test
  void refusesSeriesThatBecomeTheSame() {
    sample("x", Map.of("host", "a"), 0, 1);
    sample("x", Map.of("host", "b"), 0, 1);
    EvaluatedGroup group = group(0, record("y", "x", "host", "c"));
    run(group, 0);
    assertThat(only(group).health()).isEqualTo(Health.ERROR);
    assertThat(only(group).error())
        .isEqualTo("vector contains metrics with the same labelset after applying rule labels");
    assertThat(store.query("y", minute(0))).isEmpty();
    assertThat(group.status().counts().failures()).isEqualTo(1);
  }

  @Test
  void writesNothingBeyondTheLimit() {
    sample("x", Map.of("host", "a"), 0, 1);
    sample("x", Map.of("host", "b"), 0, 1);
    EvaluatedGroup group = group(1, record("y", "x"));
    run(group, 0);
    assertThat(only(group).error()).isEqualTo("exceeded limit of 1 with 2 series");
    EvaluatedGroup alerts = group(1, alert("x", 0, 0));
    run(alerts, 0);
    assertThat(only(alerts).error()).isEqualTo("exceeded limit of 1 with 2 alerts");
    assertThat(only(alerts).alerts()).isEmpty();
  }

  @Test
  void looksAndWritesBackByTheOffset() {
    sample("x", Map.of("host", "a"), 0, 1);
    sample("x", Map.of("host", "a"), 2, 9);
    RuleGroup offset =
        new RuleGroup("f", "g", MINUTE, MINUTE.multipliedBy(2), 0, List.of(record("y", "x")));
    run(group(offset, true), 3);
    assertThat(store.query("y", minute(1))).containsValue(1.0);
    assertThat(store.query("timestamp(y)", minute(1)))
        .containsValue(minute(1).getEpochSecond() * 1.0);
  }

  @Test
  void tellsWhatTheStoreDoesNotTake() {
    sample("x", Map.of("host", "a"), 0, 1);
    store.refused = "y";
    EvaluatedGroup group = group(0, record("y", "x"));
    run(group, 0);
    assertThat(only(group).error())
        .isEqualTo("1 of 1 samples were rejected, such as y{host=\"a\"}: no room");
    store.refused = "";
    store.broken = true;
    run(group, 1);
    assertThat(only(group).error()).isEqualTo("the disk is full");
    assertThat(problems).isNotEmpty();
  }

  @Test
  void goesOnAfterAnError() {
    sample("x", Map.of("host", "a"), 0, 1);
    store.exhausted = true;
    EvaluatedGroup group = group(0, record("y", "x"));
    run(group, 0);
    assertThat(only(group).error()).isEqualTo("StackOverflowError");
    store.exhausted = false;
    run(group, 1);
    assertThat(only(group).error()).isEmpty();
  }

  @Test
  void tellsWhatIsWrongWithAnExpression() {
    EvaluatedGroup group = group(0, record("y", "'text'"), record("z", "x[5m]"));
    sample("x", Map.of("host", "a"), 0, 1);
    run(group, 0);
    assertThat(group.status().rules())
        .extracting(RuleStatus::error)
        .containsOnly("rule result is not a vector or scalar");
  }

  @Test
  void anAlertIsPendingThenFiresThenEnds() {
    for (int i = 0; i < 4; i++) {
      sample("x", Map.of("host", "a"), i, i + 3);
    }
    EvaluatedGroup group = group(0, alert("x", 2, 0));
    run(group, 0);
    assertThat(only(group).state()).isEqualTo(AlertState.PENDING);
    assertThat(told).isEmpty();
    assertThat(store.query("ALERTS", minute(0)))
        .containsExactly(
            entry(
                "ALERTS{alertname=\"A\", alertstate=\"pending\", host=\"a\", severity=\"warn\"}",
                1.0));
    assertThat(store.query("ALERTS_FOR_STATE", minute(0)))
        .containsExactly(
            entry(
                "ALERTS_FOR_STATE{alertname=\"A\", host=\"a\", severity=\"warn\"}",
                (double) START.getEpochSecond()));
    run(group, 1);
    run(group, 2);
    Alert firing = only(group).alerts().getFirst();
    assertThat(firing.state()).isEqualTo(AlertState.FIRING);
    assertThat(firing.activeAt()).isEqualTo(START);
    assertThat(firing.annotations()).containsEntry("text", "a has 5");
    assertThat(store.query("ALERTS", minute(2)))
        .containsOnlyKeys(
            "ALERTS{alertname=\"A\", alertstate=\"firing\", host=\"a\", severity=\"warn\"}");
    assertThat(told).hasSize(1);
    assertThat(told.getFirst().startsAt()).isEqualTo(minute(2));
    assertThat(told.getFirst().endsAt()).isEqualTo(minute(6));
    assertThat(told.getFirst().generatorUrl())
        .isEqualTo("http://localhost:4242/graph?g0.expr=x&g0.tab=1");
    told.clear();
    // The label changes with the value: a new alert starts, and this one ends.
    run(group, 3);
    assertThat(only(group).alerts()).hasSize(1);
    assertThat(only(group).alerts().getFirst().labels().get("severity")).isEqualTo("page");
    assertThat(told).hasSize(1);
    assertThat(told.getFirst().labels()).containsEntry("severity", "warn");
    assertThat(told.getFirst().endsAt()).isEqualTo(minute(3));
  }

  @Test
  void anAlertThatHasEndedIsToldOfForAQuarterOfAnHour() {
    sample("x", Map.of("host", "a"), 0, 1);
    sample("x", Map.of("host", "a"), 1, Double.longBitsToDouble(0x7ff0000000000002L));
    EvaluatedGroup group = group(0, alert("x", 0, 0));
    for (int i = 0; i < 40; i++) {
      run(group, i);
    }
    assertThat(told.getFirst().endsAt()).isAfter(minute(1));
    List<Notification> ended = told.subList(1, told.size());
    assertThat(ended).allSatisfy(alert -> assertThat(alert.endsAt()).isEqualTo(minute(1)));
    // It is sent again after more than the resend delay of one minute.
    assertThat(ended).hasSize(8);
    assertThat(store.query("ALERTS", minute(1))).isEmpty();
  }

  @Test
  void anAlertMayFireOnForAWhile() {
    sample("x", Map.of("host", "a"), 0, 1);
    sample("x", Map.of("host", "a"), 1, Double.longBitsToDouble(0x7ff0000000000002L));
    EvaluatedGroup group = group(0, alert("x", 0, 3));
    run(group, 0);
    run(group, 1);
    assertThat(only(group).alerts().getFirst().keepFiringSince()).isEqualTo(minute(1));
    run(group, 3);
    assertThat(only(group).state()).isEqualTo(AlertState.FIRING);
    run(group, 4);
    assertThat(only(group).state()).isEqualTo(AlertState.INACTIVE);
  }

  @Test
  void alertsOfTheSameLabelsAreRefused() {
    sample("x", Map.of("host", "a"), 0, 1);
    sample("y", Map.of("host", "a"), 0, 1);
    EvaluatedGroup group = group(0, alert("{__name__=~'x|y'}", 0, 0));
    run(group, 0);
    assertThat(only(group).error())
        .isEqualTo("vector contains metrics with the same labelset after applying alert labels");
  }

  @Test
  void aPendingTimeGoesOnAfterARestart() {
    for (int i = 0; i < 60; i++) {
      sample("x", Map.of("host", "a"), i, 1);
    }
    EvaluatedGroup before = group(0, alert("x", 30, 0));
    for (int i = 0; i <= 10; i++) {
      run(before, i);
    }
    EvaluatedGroup after = group(before.group(), false);
    run(after, 20);
    run(after, 21);
    assertThat(store.query("count_over_time(ALERTS_FOR_STATE[5m])", minute(21))).isEmpty();
    after.restore(minute(21));
    // Ten minutes were pending before, eleven were lost.
    assertThat(only(after).alerts().getFirst().activeAt()).isEqualTo(minute(11));
    run(after, 22);
    assertThat(store.query("ALERTS_FOR_STATE", minute(22)))
        .containsValue((double) minute(11).getEpochSecond());
    run(after, 40);
    assertThat(only(after).state()).isEqualTo(AlertState.PENDING);
    run(after, 41);
    assertThat(only(after).state()).isEqualTo(AlertState.FIRING);
  }

  @Test
  void afterARestartFiringAlertsFireAgainAndPendingOnesWait() {
    for (int i = 0; i < 60; i++) {
      sample("x", Map.of("host", "a"), i, 1);
    }
    EvaluatedGroup before = group(0, alert("x", 12, 0));
    for (int i = 0; i <= 10; i++) {
      run(before, i);
    }
    EvaluatedGroup after = group(before.group(), false);
    run(after, 14);
    after.restore(minute(15));
    assertThat(only(after).alerts().getFirst().activeAt()).isEqualTo(minute(13));
    for (int i = 16; i <= 25; i++) {
      run(after, i);
    }
    assertThat(only(after).state()).isEqualTo(AlertState.FIRING);
    EvaluatedGroup again = group(before.group(), false);
    run(again, 27);
    again.restore(minute(28));
    run(again, 29);
    assertThat(only(again).state()).isEqualTo(AlertState.FIRING);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void alertsThatEndedBeforeARestartBeginAnew(boolean marked) {
    store.marked = marked;
    EvaluatedGroup before = group(0, alert("x > 0", 12, 0));
    for (int i = 0; i <= 20; i++) {
      sample("x", Map.of("host", "a"), i, i < 15 ? 1 : 0);
      run(before, i);
    }
    assertThat(only(before).state()).isEqualTo(AlertState.INACTIVE);
    sample("x", Map.of("host", "a"), 40, 1);
    EvaluatedGroup after = group(before.group(), false);
    run(after, 40);
    after.restore(minute(41));
    assertThat(only(after).alerts().getFirst().activeAt()).isEqualTo(minute(40));
    run(after, 42);
    assertThat(only(after).state()).isEqualTo(AlertState.PENDING);
  }

  @Test
  void aChangedGroupTakesOverAndEndsWhatIsGone() {
    for (int i = 0; i < 4; i++) {
      sample("x", Map.of("host", "a"), i, 1);
    }
    EvaluatedGroup before = group(0, record("y", "x"), record("z", "x"), alert("x", 1, 0));
    run(before, 0);
    EvaluatedGroup after = group(0, alert("x", 1, 0), record("z", "x + 1"));
    after.takeOver(before);
    run(after, 1);
    assertThat(store.query("y", minute(1))).isEmpty();
    assertThat(store.query("z", minute(1))).containsValue(2.0);
    assertThat(only(after).state()).isEqualTo(AlertState.FIRING);
    after.endAll(minute(2));
    assertThat(store.query("{__name__=~'z|ALERTS.*'}", minute(2))).isEmpty();
  }
}
