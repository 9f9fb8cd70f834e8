package dev.varve.engine.catalog;

import dev.varve.model.GroupKey;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TagFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The series that a user may use: those that match a selector. {@code Dataset.within} binds a
 * dataset to them. Two bounds are equal if their selectors are. Safe for use by several threads.
 */
public final class SeriesBounds {
  private final Selector selector;
  private final String text;
  private final KeyFilter filter;

  /**
   * Creates bounds.
   *
   * @param selector with at least one filter
   * @param text the selector as its author wrote it, for messages
   * @throws IllegalArgumentException if there is no filter, or one is malformed
   */
  public SeriesBounds(Selector selector, String text) {
    if (selector.filters().isEmpty()) {
      throw new IllegalArgumentException("the selector names no label, so it binds nothing");
    }
    this.selector = selector;
    this.text = text;
    this.filter = KeyFilter.of(selector);
  }

  /** Returns the selector. */
  public Selector selector() {
    return selector;
  }

  /** Returns the selector as its author wrote it. */
  public String text() {
    return text;
  }

  /** Returns a selector of the series that match another one and lie within. */
  public Selector and(Selector other) {
    List<TagFilter> all = new ArrayList<>(other.filters());
    all.addAll(selector.filters());
    return new Selector(all);
  }

  /** Returns whether a field of a key lies within. */
  public boolean contains(GroupKey key, String field) {
    return filter.accepts(key.field(field));
  }

  /** Returns whether a key lies within, whatever its fields. */
  public boolean contains(GroupKey key) {
    return filter.acceptsKey(key.field(Series.DEFAULT_FIELD));
  }

  /** Returns whether the series of a key lie within or outside together, whatever their fields. */
  public boolean decideByKey() {
    return filtered().noneMatch(Series.FIELD_LABEL::equals);
  }

  /** Returns whether the values of some labels decide whether a series lies within. */
  public boolean decideBy(Set<String> labels) {
    return filtered().allMatch(labels::contains);
  }

  private Stream<String> filtered() {
    return selector.filters().stream().map(TagFilter::name);
  }

  /** Returns whether another selector surely selects nothing outside. */
  public boolean contain(Selector other) {
    return other.filters().containsAll(selector.filters());
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SeriesBounds bounds && selector.equals(bounds.selector);
  }

  @Override
  public int hashCode() {
    return selector.hashCode();
  }

  @Override
  public String toString() {
    return text;
  }
}
