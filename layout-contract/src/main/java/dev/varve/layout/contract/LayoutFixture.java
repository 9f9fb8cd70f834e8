package dev.varve.layout.contract;

import dev.varve.layout.Layout;
import dev.varve.model.Attribute;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.Value;
import dev.varve.store.Cell;
import java.util.List;
import java.util.Random;

/**
 * A layout to be tested, with points inside and outside of its domain. What can be derived from
 * {@link dev.varve.layout.Domain} is; a layout overrides what its domain cannot say.
 */
public interface LayoutFixture {
  /** A new instance, equal to every other. */
  Layout layout();

  /** The text of the layout's identity, written out, so that no change of it goes unseen. */
  String identity();

  /** A key inside the domain; of few metrics and tag values, so that keys have parts in common. */
  default GroupKey key(Random random) {
    return new DomainPoints(layout()).key(random);
  }

  /** Fields of which each instant of a series holds one value. */
  default List<String> fields() {
    return layout().domain().fields() ? List.of("value", "other") : List.of("value");
  }

  /**
   * Whether all fields of an instant are written together or not at all, as where they share one
   * cell.
   */
  default boolean fieldsComeTogether() {
    return false;
  }

  /** A time inside the domain, anywhere; around it the tests write and read. */
  default long time(Random random) {
    return new DomainPoints(layout()).time(random);
  }

  /** The nearest time at or before {@code time} that the layout holds, where it rounds none. */
  default long holdable(long time) {
    return time;
  }

  /** A value inside the domain. */
  default Value value(Kind kind, Random random) {
    return new DomainPoints(layout()).value(kind, random);
  }

  /** The kinds that a field may have. */
  default List<Kind> kinds(String field) {
    return layout().domain().kinds().stream().sorted().toList();
  }

  /** Keys, samples and attributes outside, beyond those that the domain tells. */
  List<Outside> outside();

  /** Attributes inside; at least one where the domain has attributes. */
  default List<Attribute> attributes() {
    return List.of();
  }

  /**
   * Whether the layout writes what a cell says in this form and no other. Forms of an original that
   * are read and never written are not asked to come back as they were.
   */
  default boolean hasOneForm(int table, Cell cell) {
    return true;
  }

  /** What a layout refuses, and by which rule. */
  sealed interface Outside {
    String rule();

    record Key(GroupKey key, String rule) implements Outside {}

    record Sample(GroupKey key, String field, long time, Value value, String rule)
        implements Outside {}

    record Attribute(dev.varve.model.Attribute attribute, String rule) implements Outside {}
  }
}
