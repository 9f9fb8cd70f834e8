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
 * A layout to test, with points inside and outside of its domain. The defaults are derived from
 * {@link dev.varve.layout.Domain}; fixtures override what the domain cannot express.
 */
public interface LayoutFixture {
  /** Returns a new instance, equivalent to all others. */
  Layout layout();

  /** Returns the expected text of the layout's identity, so that any change of it fails a test. */
  String identity();

  /**
   * Returns a key in the domain, with few different metrics and tag values so that keys share
   * parts.
   */
  default GroupKey key(Random random) {
    return new DomainPoints(layout()).key(random);
  }

  /** Returns the fields to write. */
  default List<String> fields() {
    return layout().domain().fields() ? List.of("value", "other") : List.of("value");
  }

  /**
   * Returns whether all fields of an instant must be written together, for example because they
   * share a cell.
   */
  default boolean fieldsComeTogether() {
    return false;
  }

  /** Returns a time in the domain, around which the tests write and read. */
  default long time(Random random) {
    return new DomainPoints(layout()).time(random);
  }

  /** Returns the latest time at or before {@code time} that the layout holds exactly. */
  default long holdable(long time) {
    return time;
  }

  /** Returns a value in the domain. */
  default Value value(Kind kind, Random random) {
    return new DomainPoints(layout()).value(kind, random);
  }

  /** Returns the kinds that a field may have. */
  default List<Kind> kinds(String field) {
    return layout().domain().kinds().stream().sorted().toList();
  }

  /** Returns keys, samples and attributes outside the domain, besides those derived from it. */
  List<Outside> outside();

  /** Returns attributes in the domain; at least one if the domain has attributes. */
  default List<Attribute> attributes() {
    return List.of();
  }

  /**
   * Returns whether the layout would write the content of a cell in exactly this form. Cells in
   * other forms of an original, which are only read, need not be re-encoded identically.
   */
  default boolean hasOneForm(int table, Cell cell) {
    return true;
  }

  /** Something that a layout refuses, and the rule. */
  sealed interface Outside {
    String rule();

    record Key(GroupKey key, String rule) implements Outside {}

    record Sample(GroupKey key, String field, long time, Value value, String rule)
        implements Outside {}

    record Attribute(dev.varve.model.Attribute attribute, String rule) implements Outside {}
  }
}
