package dev.varve.engine.write;

import dev.varve.engine.catalog.SeriesIdentity;
import dev.varve.engine.periods.PlacedLayout;
import dev.varve.layout.Binding;
import dev.varve.layout.RefusedException;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.TimeRange;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * A key that is written to: what the layouts need of it, and what the home durably says of it, so
 * that writing to it again looks nothing up. Safe for use by several threads.
 */
final class KnownSeries {
  private final GroupKey key;
  private final SeriesIdentity identity;
  private final AtomicReferenceArray<Binding> bindings;
  private volatile Standing standing;

  /**
   * What the home says durably.
   *
   * @param series the number of the key in the index, or -1 where the home has it not
   * @param fields fields with the kinds of their samples
   * @param extent where the key may have samples
   */
  record Standing(int series, FieldKinds fields, TimeRange extent) {
    static final Standing NOTHING = new Standing(-1, FieldKinds.NONE, new TimeRange(0, 0));

    boolean has(String field, Kind kind) {
      return fields.has(field, kind);
    }

    boolean covers(long first, long last) {
      return first >= extent.from() && last < extent.to();
    }
  }

  KnownSeries(GroupKey key, SeriesIdentity identity, int slots, Standing standing) {
    this.key = key;
    this.identity = identity;
    this.bindings = new AtomicReferenceArray<>(slots);
    this.standing = standing;
  }

  /** The key as it is stored: tags that are resource identifiers stand among these. */
  GroupKey key() {
    return key;
  }

  SeriesIdentity identity() {
    return identity;
  }

  Standing standing() {
    return standing;
  }

  /** Takes note of what the home now says. What two threads note at once may be noted again. */
  void standing(Standing now) {
    standing = now;
  }

  /**
   * The binding of the key to a layout, made where it is missing.
   *
   * @throws RefusedException if the layout does not take the key
   */
  Binding binding(PlacedLayout layout) {
    Binding known = bindings.get(layout.slot());
    if (known != null) {
      return known;
    }
    Binding made = layout.bind(key);
    bindings.set(layout.slot(), made);
    return made;
  }
}
