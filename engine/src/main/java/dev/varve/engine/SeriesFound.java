package dev.varve.engine;

import dev.varve.engine.catalog.Matches;
import dev.varve.model.Series;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The series that match any of some selectors, as they were when that was asked. */
public final class SeriesFound {
  private final List<Matches> matches;

  SeriesFound(List<Matches> matches) {
    this.matches = List.copyOf(matches);
  }

  /** How many keys there are at most: one that several selectors match counts for each. */
  public long keysAtMost() {
    return matches.stream().mapToLong(Matches::size).sum();
  }

  /** Each series once, in no order, looked up when its turn comes. */
  public Stream<Series> stream() {
    return IntStream.range(0, matches.size()).boxed().flatMap(this::onlyOf);
  }

  /** The series of a selector that none before it has matched. */
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
