package dev.varve.engine;

import dev.varve.engine.catalog.Matches;
import dev.varve.model.Series;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The series that matched any of several selectors when they were evaluated. */
public final class SeriesFound {
  private final List<Matches> matches;

  SeriesFound(List<Matches> matches) {
    this.matches = List.copyOf(matches);
  }

  /**
   * Returns an upper bound of the number of keys. A key that several selectors match is counted
   * several times.
   */
  public long keysAtMost() {
    return matches.stream().mapToLong(Matches::size).sum();
  }

  /** Returns each series once, in unspecified order, resolved lazily. */
  public Stream<Series> stream() {
    return IntStream.range(0, matches.size()).boxed().flatMap(this::onlyOf);
  }

  /** Returns the series of a selector that no earlier selector matches. */
  private Stream<Series> onlyOf(int selector) {
    List<Matches> before = matches.subList(0, selector);
    return matches.get(selector).stream()
        .flatMap(match ->
            match.fields().stream()
                .filter(field ->
                    before.stream().noneMatch(other -> other.contains(match.series(), field)))
                .map(match.key()::field));
  }
}
