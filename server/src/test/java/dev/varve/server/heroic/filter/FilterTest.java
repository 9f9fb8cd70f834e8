package dev.varve.server.heroic.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.varve.model.GroupKey;
import dev.varve.model.Series;
import dev.varve.model.TagFilter;
import dev.varve.model.Tags;
import dev.varve.server.heroic.error.HeroicError;
import dev.varve.server.heroic.language.Language;
import dev.varve.server.heroic.series.HeroicSeries;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Normalising a filter and splitting it into selectors change nothing about what it matches. */
class FilterTest {
  private static final List<String> NAMES = List.of("a", "b", "c");
  private static final List<String> VALUES = List.of("", "x", "xy", "y");

  @Provide
  Arbitrary<Filter> filters() {
    return nested(2);
  }

  private Arbitrary<Filter> nested(int depth) {
    if (depth == 0) {
      return leaf();
    }
    Arbitrary<Filter> inner = nested(depth - 1);
    Arbitrary<List<Filter>> some = inner.list().ofMinSize(1).ofMaxSize(3);
    return Arbitraries.oneOf(
        inner, inner.map(Filter.Not::new), some.map(Filter.And::new), some.map(Filter.Or::new));
  }

  private Arbitrary<Filter> leaf() {
    Arbitrary<String> name = Arbitraries.of(NAMES);
    Arbitrary<String> value = Arbitraries.of(VALUES);
    return Arbitraries.oneOf(
        value.map(Filter.MatchKey::new),
        name.map(Filter.HasTag::new),
        Combinators.combine(name, value).as(Filter.MatchTag::new),
        Combinators.combine(name, value).as(Filter.StartsWith::new),
        Combinators.combine(name, Arbitraries.of("x.*", "", "[xy]")).as(Filter.Regex::new));
  }

  @Provide
  Arbitrary<Series> series() {
    Arbitrary<Tags> tags =
        Arbitraries.maps(Arbitraries.of(NAMES), Arbitraries.of(VALUES)).ofMaxSize(2).map(Tags::of);
    return Combinators.combine(Arbitraries.of(VALUES), tags, tags)
        .as((key, own, resource) -> new GroupKey(key, own, resource).field(Series.DEFAULT_FIELD));
  }

  @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
  void normalisingKeepsTheMeaning(
      @ForAll("filters") Filter filter, @ForAll("series") Series series) {
    HeroicSeries named = HeroicSeries.of(series);
    assertThat(FilterRewrite.normalised(filter).test().test(named))
        .isEqualTo(filter.test().test(named));
  }

  @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
  void exactlyOneAlternativeFindsASeriesThatMatches(
      @ForAll("filters") Filter filter, @ForAll("series") Series series) {
    HeroicSeries named = HeroicSeries.of(series);
    long found =
        Alternatives.of(filter).stream()
            .filter(one -> one.selector().filters().stream().allMatch(f -> selects(f, series)))
            .filter(one -> one.test().test(named))
            .count();
    assertThat(found).isEqualTo(filter.test().test(named) ? 1 : 0);
  }

  /**
   * Returns whether the engine's filter selects a series. A missing label is empty, except for
   * {@code Has}.
   */
  private static boolean selects(TagFilter filter, Series series) {
    String label = series.label(filter.name());
    String value = label == null ? "" : label;
    return switch (filter) {
      case TagFilter.Equal equal -> value.equals(equal.value());
      case TagFilter.NotEqual not -> !value.equals(not.value());
      case TagFilter.In in -> in.values().contains(value);
      case TagFilter.Prefix prefix -> value.startsWith(prefix.prefix());
      case TagFilter.Regex regex -> value.matches(regex.pattern());
      case TagFilter.NotRegex regex -> !value.matches(regex.pattern());
      case TagFilter.Has has -> label != null;
    };
  }

  @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
  void anyTextIsAFilterOrAnErrorThatSaysWhere(@ForAll("texts") String text) {
    Throwable thrown = catchThrowable(() -> Language.filter(text));
    assertThat(thrown == null || thrown instanceof HeroicError).as("%s", thrown).isTrue();
    Throwable other = catchThrowable(() -> Language.query(text, 1_600_000_000_000L));
    assertThat(other == null || other instanceof HeroicError).as("%s", other).isTrue();
  }

  @Provide
  Arbitrary<String> texts() {
    return Arbitraries.of(
            "a",
            "=",
            "!",
            "in",
            "not",
            "[",
            "]",
            "(",
            ")",
            "and",
            "or",
            "5m",
            "-",
            "+",
            "*",
            "/",
            "\"x\"",
            "\"",
            "\\u",
            "{",
            "}",
            "10:30",
            "2021-13-01",
            "$now",
            "$key",
            "by",
            "|",
            ",",
            "from",
            "points",
            "where",
            "99999999999999999999",
            "1.5",
            ".",
            "#",
            "~",
            "^",
            "\u00e9")
        .list()
        .ofMaxSize(12)
        .map(words -> String.join(" ", words));
  }
}
