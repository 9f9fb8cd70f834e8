package dev.varve.engine.catalog;

import dev.varve.engine.request.ReadGuard;
import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.roaringbitmap.IntConsumer;
import org.roaringbitmap.RoaringBitmap;

/** The keys that matched a selector when it was evaluated. */
public final class Matches {
  /** Orders keys by metric, then tags, then resource identifiers. */
  public static final Comparator<GroupKey> ORDER =
      Comparator.comparing(GroupKey::metric)
          .thenComparing(GroupKey::tags, Matches::compare)
          .thenComparing(GroupKey::resource, Matches::compare);

  /**
   * A matching key.
   *
   * @param series the number of the key in the index
   * @param fields the fields of the key that match, sorted
   */
  public record Match(int series, GroupKey key, List<String> fields) {}

  private final RoaringBitmap series;
  private final IntFunction<Match> resolve;
  private final Predicate<String> wantedFields;
  private final ReadGuard guard;

  Matches(
      RoaringBitmap series,
      IntFunction<Match> resolve,
      Predicate<String> wantedFields,
      ReadGuard guard) {
    this.series = series;
    this.resolve = resolve;
    this.wantedFields = wantedFields;
    this.guard = guard;
  }

  /** Returns whether the selector accepts a field. */
  public boolean wantsField(String field) {
    return wantedFields.test(field);
  }

  public int size() {
    return series.getCardinality();
  }

  RoaringBitmap series() {
    return series;
  }

  /** Passes each match to an action, in the order of series numbers. */
  public void forEach(Consumer<Match> action) {
    series.forEach(
        (IntConsumer)
            one -> {
              guard.ensureWanted();
              action.accept(resolve.apply(one));
            });
  }

  /** Returns the matches in the order of series numbers. Each is resolved when it is pulled. */
  public Stream<Match> stream() {
    return series.stream()
        .mapToObj(one -> {
          guard.ensureWanted();
          return resolve.apply(one);
        });
  }

  /** Returns whether a field of a key matches. */
  public boolean contains(int key, String field) {
    return series.contains(key) && wantsField(field);
  }

  /** Returns all matches, in {@link #ORDER}. */
  public List<Match> inOrder() {
    List<Match> all = new ArrayList<>(size());
    forEach(all::add);
    all.sort((a, b) -> {
      guard.ensureWanted();
      return ORDER.compare(a.key(), b.key());
    });
    return all;
  }

  private static int compare(Tags a, Tags b) {
    for (int i = 0; i < Math.min(a.size(), b.size()); i++) {
      int order = a.name(i).compareTo(b.name(i));
      if (order == 0) {
        order = a.value(i).compareTo(b.value(i));
      }
      if (order != 0) {
        return order;
      }
    }
    return Integer.compare(a.size(), b.size());
  }
}
