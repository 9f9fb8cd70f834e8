package dev.varve.engine.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.engine.request.Cardinality;
import dev.varve.engine.request.Cardinality.Count;
import dev.varve.engine.request.ReadGuard;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TagFilter;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SeriesIndexTest {
  private final SeriesIndex index = new SeriesIndex();

  @Test
  void numbersAKeyOnce() {
    int one = add(GroupKey.of("cpu", Tags.of("host", "a")));
    int two = add(GroupKey.of("cpu", Tags.of("host", "b")));

    assertThat(add(GroupKey.of("cpu", Tags.of("host", "a")))).isEqualTo(one).isNotEqualTo(two);
    assertThat(index.size()).isEqualTo(2);
    assertThat(index.key(two)).isEqualTo(GroupKey.of("cpu", Tags.of("host", "b")));
    assertThat(index.find(SeriesIdentity.of(GroupKey.of("mem", Tags.EMPTY)))).isEqualTo(-1);
  }

  @Test
  void knowsAboutWhatItTakesOfTheHeap() {
    long empty = index.bytes();
    int keys = 100_000;
    for (int i = 0; i < keys; i++) {
      add(GroupKey.of("cpu", Tags.of("host", "host-" + i)));
    }
    // Text 48 bytes, its number 12, the pair 12, the key 12, its columns 68, plus tables.
    assertThat((index.bytes() - empty) / keys).isBetween(120L, 300L);
  }

  @Test
  void aRemovedKeyIsGoneUntilItIsAddedAgain() {
    GroupKey removed = GroupKey.of("cpu", Tags.of("host", "a", "dc", "x"));
    int one = add(removed);
    int two = add(GroupKey.of("cpu", Tags.of("host", "b")));
    index.addField(one, "f", Kind.DOUBLE);
    index.extend(one, new TimeRange(5, 9));
    index.remove(one);
    index.remove(one);

    assertThat(index.find(SeriesIdentity.of(removed))).isEqualTo(-1);
    assertThat(index.has(one)).isFalse();
    assertThat(index.has(two)).isTrue();
    assertThat(index.size()).isEqualTo(1);
    assertThat(index.key(one)).as("for who holds its number").isEqualTo(removed);
    assertThat(matched(new TagFilter.Equal("host", "a"))).isEmpty();
    assertThat(matched(new TagFilter.NotEqual("host", "b"))).isEmpty();
    assertThat(matched(new TagFilter.Has("dc"))).isEmpty();
    assertThat(matched()).containsExactly(two);
    assertThat(names("cpu")).containsExactly("host");
    assertThat(index.firstValues("host", "", 9, ReadGuard.NONE)).containsExactly("b");
    assertThat(index.cardinality(null, 9, ReadGuard.NONE).series()).isEqualTo(1);

    assertThat(add(removed)).isEqualTo(one);
    assertThat(index.fields(one)).isEmpty();
    assertThat(index.extent(one).isEmpty()).isTrue();
    assertThat(matched(new TagFilter.Equal("host", "a"))).containsExactly(one);
    assertThat(names("cpu")).containsExactly("dc", "host");
  }

  @Test
  void refusesAnotherKeyOfTheSameIdentity() {
    GroupKey existing = GroupKey.of("cpu", Tags.EMPTY);
    GroupKey other = GroupKey.of("mem", Tags.EMPTY);
    index.add(SeriesIdentity.of(existing), existing);

    assertThatThrownBy(() -> index.add(SeriesIdentity.of(existing), other))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("mem{} has the same 128-bit identity as the existing key cpu{}");
  }

  @Test
  void keepsKeysApartThatDifferOnlyInWhatIsResource() {
    int tag = add(new GroupKey("cpu", Tags.of("host", "a"), Tags.EMPTY));
    int resource = add(new GroupKey("cpu", Tags.EMPTY, Tags.of("host", "a")));

    assertThat(tag).isNotEqualTo(resource);
    assertThat(index.key(resource).resource()).isEqualTo(Tags.of("host", "a"));
    assertThat(matched(new TagFilter.Equal("host", "a"))).containsExactly(tag, resource);
  }

  @Test
  void findsAHiddenResourceIdentifierUnderItsLongName() {
    int series = add(new GroupKey("cpu", Tags.of("host", "tag"), Tags.of("host", "resource")));

    assertThat(matched(new TagFilter.Equal("host", "tag"))).containsExactly(series);
    assertThat(matched(new TagFilter.Equal("host", "resource"))).isEmpty();
    assertThat(matched(new TagFilter.Equal("resource.host", "resource"))).containsExactly(series);
  }

  @Test
  void leavesOutFieldsAndKeysOfOtherKinds() {
    int texts = add(GroupKey.of("weather", Tags.of("site", "1")));
    index.addField(texts, "value", Kind.STRING);
    int both = add(GroupKey.of("weather", Tags.of("site", "2")));
    index.addField(both, "note", Kind.STRING);
    index.addField(both, "value", Kind.STRING);
    index.addField(both, "value", Kind.DOUBLE);
    int unknown = add(GroupKey.of("weather", Tags.of("site", "3")));
    Selector weather = Selector.metric("weather");

    assertThat(index.match(weather, null, Kind.NUMBERS, ReadGuard.NONE).inOrder())
        .containsExactly(
            new Matches.Match(both, index.key(both), List.of("value")),
            new Matches.Match(unknown, index.key(unknown), List.of()));
    assertThat(index.labelValues("site", weather, null, Kind.NUMBERS, 9, ReadGuard.NONE))
        .containsExactly("2", "3");
    assertThat(index.match(weather, null, Kind.ALL, ReadGuard.NONE).inOrder())
        .extracting(Matches.Match::fields)
        .containsExactly(List.of("value"), List.of("note", "value"), List.of());
  }

  @Test
  void matchesFieldsAndDropsKeysWithoutAny() {
    int both = add(GroupKey.of("weather", Tags.of("site", "1")));
    index.addField(both, "pressure", Kind.DOUBLE);
    index.addField(both, "value", Kind.INT64);
    int other = add(GroupKey.of("weather", Tags.of("site", "2")));
    index.addField(other, "value", Kind.DOUBLE);

    Matches pressure =
        index.match(
            Selector.metric("weather", new TagFilter.Prefix(Series.FIELD_LABEL, "pre")), null);
    assertThat(pressure.inOrder())
        .containsExactly(new Matches.Match(both, index.key(both), List.of("pressure")));
    Matches absent =
        index.match(Selector.metric("weather", new TagFilter.Equal(Series.FIELD_LABEL, "")), null);
    assertThat(absent.inOrder())
        .extracting(Matches.Match::fields)
        .containsExactly(List.of("value"), List.of("value"));
    assertThat(values(index, Series.FIELD_LABEL, Selector.metric("weather")))
        .containsExactly("pressure");
    assertThat(index.hasField(both, "value", Kind.DOUBLE)).isFalse();
    assertThat(index.hasField(both, "value", Kind.INT64)).isTrue();
  }

  @Test
  void leavesOutWhatSurelyHasNoSampleInARange() {
    int early = add(GroupKey.of("cpu", Tags.of("host", "a")));
    index.extend(early, new TimeRange(0, 100));
    int late = add(GroupKey.of("cpu", Tags.of("host", "b")));
    index.extend(late, new TimeRange(100, 200));
    index.extend(late, new TimeRange(150, 300));
    int never = add(GroupKey.of("cpu", Tags.of("host", "c")));

    assertThat(matched(new TimeRange(0, 100))).containsExactly(early);
    assertThat(matched(new TimeRange(99, 101))).containsExactly(early, late);
    assertThat(matched(new TimeRange(299, 1000))).containsExactly(late);
    assertThat(matched(new TimeRange(300, 1000))).isEmpty();
    assertThat(index.count(Selector.metric("cpu"), new TimeRange(0, 100))).isEqualTo(1);
    assertThat(index.count(Selector.metric("cpu"), new TimeRange(300, 1000))).isZero();
    assertThat(index.count(Selector.metric("cpu"), null)).isEqualTo(3);
    assertThat(index.extent(never).isEmpty()).isTrue();
  }

  @Test
  void listsLabelsOfWhatMatches() {
    add(new GroupKey("cpu", Tags.of("host", "a", "core", "0"), Tags.EMPTY));
    add(new GroupKey("cpu", Tags.of("host", "b"), Tags.of("pod", "p")));
    add(new GroupKey("mem", Tags.of("host", "c"), Tags.EMPTY));

    assertThat(names("cpu")).containsExactly("core", "host", "pod");
    assertThat(names("mem")).containsExactly("host");
    assertThat(values(index, "host", Selector.metric("cpu"))).containsExactly("a", "b");
    assertThat(values(index, Series.NAME_LABEL, new Selector(List.of())))
        .containsExactly("cpu", "mem");
    assertThat(values(index, "nowhere", new Selector(List.of()))).isEmpty();
    assertThat(index.count(Selector.metric("cpu"), null)).isEqualTo(2);
  }

  private List<String> names(String metric) {
    return index.labelNames(Selector.metric(metric), null, ReadGuard.NONE);
  }

  private static List<String> values(SeriesIndex index, String label, Selector selector) {
    return index.labelValues(label, selector, null, Integer.MAX_VALUE, ReadGuard.NONE);
  }

  @Test
  void listsLabelsOfARangeAndNoMoreThanAreWanted() {
    index.extend(add(GroupKey.of("cpu", Tags.of("host", "b"))), new TimeRange(0, 100));
    index.extend(add(GroupKey.of("cpu", Tags.of("host", "a"))), new TimeRange(0, 100));
    index.extend(add(GroupKey.of("cpu", Tags.of("pod", "c"))), new TimeRange(100, 200));
    Selector all = Selector.metric("cpu");

    assertThat(index.labelNames(all, new TimeRange(0, 100), ReadGuard.NONE))
        .containsExactly("host");
    assertThat(index.labelValues("pod", all, new TimeRange(0, 100), 9, ReadGuard.NONE)).isEmpty();
    assertThat(index.labelValues("host", all, null, 1, ReadGuard.NONE)).containsExactly("b");
  }

  @Test
  void listsTheFirstValuesThatBeginSo() {
    add(GroupKey.of("cpu.user", Tags.of("host", "web2", "dc", "lga")));
    add(GroupKey.of("cpu.sys", Tags.of("host", "web1", "rack", "web2")));
    add(GroupKey.of("web", Tags.of("host", "db")));

    assertThat(index.firstValues(Series.NAME_LABEL, "cpu", 9, ReadGuard.NONE))
        .containsExactly("cpu.sys", "cpu.user");
    assertThat(index.firstValues(Series.NAME_LABEL, "", 2, ReadGuard.NONE))
        .containsExactly("cpu.sys", "cpu.user");
    assertThat(index.firstValues("host", "", 2, ReadGuard.NONE)).containsExactly("db", "web1");
    assertThat(index.firstValues(null, "web", 9, ReadGuard.NONE)).containsExactly("web1", "web2");
    assertThat(index.firstValues(null, "", 3, ReadGuard.NONE)).containsExactly("db", "lga", "web1");
    assertThat(index.firstValues("none", "", 3, ReadGuard.NONE)).isEmpty();
  }

  @Test
  void breaksALongWalkOff() {
    for (int i = 0; i < 5_000; i++) {
      add(GroupKey.of("cpu", Tags.of("host", "h" + i)));
    }
    RuntimeException gone = new RuntimeException("gone");
    ReadGuard guard =
        new ReadGuard() {
          private int asked;

          @Override
          public void ensureWanted() {
            if (++asked % 1000 == 0) {
              throw gone;
            }
          }

          @Override
          public void held(long bytes, String what) {}

          @Override
          public boolean tryHold(long bytes) {
            return true;
          }

          @Override
          public void released(long bytes) {}

          @Override
          public void matched(long keys) {}

          @Override
          public void begun(Runnable cancel) {}

          @Override
          public void ended(Runnable cancel) {}
        };
    Selector some = Selector.metric("cpu", new TagFilter.Regex("host", ".*7.*"));
    assertThatThrownBy(() -> index.match(some, null, guard)).isSameAs(gone);
    assertThatThrownBy(() -> index.labelValues("host", Selector.metric("cpu"), null, 9_999, guard))
        .isSameAs(gone);
    assertThatThrownBy(() -> index.firstValues(null, "x", 3, guard)).isSameAs(gone);
    assertThatThrownBy(() -> index.cardinality(null, 3, guard)).isSameAs(gone);
  }

  @Test
  void countsWhatThereIsMostOf() {
    add(GroupKey.of("cpu", Tags.of("host", "a", "core", "0")));
    add(GroupKey.of("cpu", Tags.of("host", "a", "core", "1")));
    index.extend(add(GroupKey.of("mem", Tags.of("host", "ö"))), new TimeRange(5, 9));

    Cardinality two = index.cardinality(null, 2, ReadGuard.NONE);
    assertThat(two)
        .isEqualTo(
            new Cardinality(
                3,
                6,
                new TimeRange(5, 9),
                List.of(new Count("cpu", 2), new Count("mem", 1)),
                List.of(new Count("__name__", 2), new Count("core", 2)),
                List.of(new Count("__name__", 6), new Count("host", 3)),
                List.of(new Count("__name__=cpu", 2), new Count("host=a", 2))));
  }

  @Test
  void namesAPatternThatIsNone() {
    assertThatThrownBy(
            () -> index.match(new Selector(List.of(new TagFilter.Regex("host", "a(b"))), null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("'a(b' is not a valid RE2 pattern: ");
  }

  /** Bitmaps return the same series as testing the labels of every series. */
  @Property(tries = 300)
  void matchesWhatEveryLabelSaysItself(
      @ForAll("keys") List<GroupKey> keys, @ForAll("filters") List<TagFilter> filters) {
    SeriesIndex filled = new SeriesIndex();
    Set<GroupKey> distinct = new HashSet<>(keys);
    for (GroupKey key : keys) {
      filled.add(SeriesIdentity.of(key), key);
    }

    Set<GroupKey> expected =
        distinct.stream()
            .filter(key -> filters.stream().allMatch(filter -> holds(filter, key)))
            .collect(Collectors.toSet());
    List<GroupKey> actual =
        filled.match(new Selector(filters), null).inOrder().stream()
            .map(Matches.Match::key)
            .toList();
    assertThat(actual)
        .containsExactlyInAnyOrderElementsOf(expected)
        .isSortedAccordingTo(Matches.ORDER);
    for (String label : List.of("a", "b", "resource.a", Series.NAME_LABEL)) {
      assertThat(values(filled, label, new Selector(filters)))
          .containsExactlyElementsOf(
              new TreeSet<>(
                  expected.stream()
                      .map(key -> key.field("value").label(label))
                      .filter(value -> value != null)
                      .toList()));
    }
  }

  /** Uses many keys, so that pools, tables and chunks grow and values are tested one by one. */
  @Test
  void growsAndFindsAgain() {
    Map<GroupKey, Integer> numbers = new HashMap<>();
    for (int i = 0; i < 40_000; i++) {
      GroupKey key = GroupKey.of("m" + i % 7, Tags.of("host", "h" + i, "rack", "r" + i % 100));
      numbers.put(key, add(key));
    }

    numbers.forEach((key, number) -> assertThat(index.key(number)).isEqualTo(key));
    assertThat(
            index
                .match(
                    Selector.metric(
                        "m3",
                        new TagFilter.Equal("rack", "r5"),
                        new TagFilter.Regex("host", "h.*5")),
                    null)
                .inOrder())
        .hasSize(
            (int)
                numbers.keySet().stream()
                    .filter(key ->
                        key.metric().equals("m3")
                            && "r5".equals(key.tags().get("rack"))
                            && key.tags().value(0).endsWith("5"))
                    .count())
        .hasSizeGreaterThan(10);
  }

  @Provide
  Arbitrary<List<GroupKey>> keys() {
    Arbitrary<String> values = Arbitraries.of("", "x", "xy", "y.z", "z");
    Arbitrary<Tags> tags =
        Arbitraries.maps(Arbitraries.of("a", "b", "resource.a", "__name__", "__field__"), values)
            .ofMaxSize(3)
            .map(Tags::of);
    return Combinators.combine(Arbitraries.of("m", "n", ""), tags, tags)
        .as(GroupKey::new)
        .list()
        .ofMaxSize(30);
  }

  @Provide
  Arbitrary<List<TagFilter>> filters() {
    Arbitrary<String> names = Arbitraries.of("a", "b", "resource.a", "__name__", "nowhere");
    Arbitrary<String> values = Arbitraries.of("", "x", "xy", "m", "y.z");
    Arbitrary<String> patterns =
        Arbitraries.of("x.*", ".+", ".*", "x|m", "(xy|)", "[xm]", "y\\.z", "y.z", "(x|y).*", "x.+");
    Arbitrary<TagFilter> one =
        Combinators.combine(names, values, patterns, Arbitraries.integers().between(0, 6))
            .as((name, value, pattern, form) ->
                switch (form) {
                  case 0 -> new TagFilter.Equal(name, value);
                  case 1 -> new TagFilter.NotEqual(name, value);
                  case 2 -> new TagFilter.In(name, Set.of(value, "z"));
                  case 3 -> new TagFilter.Prefix(name, value);
                  case 4 -> new TagFilter.Regex(name, pattern);
                  case 5 -> new TagFilter.NotRegex(name, pattern);
                  default -> new TagFilter.Has(name);
                });
    return one.list().ofMaxSize(3);
  }

  private static boolean holds(TagFilter filter, GroupKey key) {
    @Nullable String carried = key.field(Series.DEFAULT_FIELD).label(filter.name());
    String value = carried == null ? "" : carried;
    return switch (filter) {
      case TagFilter.Equal f -> value.equals(f.value());
      case TagFilter.NotEqual f -> !value.equals(f.value());
      case TagFilter.In f -> f.values().contains(value);
      case TagFilter.Prefix f -> value.startsWith(f.prefix());
      case TagFilter.Regex f -> value.matches(f.pattern());
      case TagFilter.NotRegex f -> !value.matches(f.pattern());
      case TagFilter.Has f -> carried != null;
    };
  }

  private int add(GroupKey key) {
    return index.add(SeriesIdentity.of(key), key);
  }

  private List<Integer> matched(TagFilter... filters) {
    return numbers(index.match(new Selector(List.of(filters)), null));
  }

  private List<Integer> matched(TimeRange times) {
    return numbers(index.match(Selector.metric("cpu"), times));
  }

  private static List<Integer> numbers(Matches matches) {
    List<Integer> numbers = new ArrayList<>();
    matches.forEach(match -> numbers.add(match.series()));
    return numbers;
  }
}
