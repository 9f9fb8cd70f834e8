package dev.varve.engine.write;

import dev.varve.engine.catalog.SeriesIdentity;
import dev.varve.engine.periods.PlacedLayout;
import dev.varve.layout.Binding;
import dev.varve.layout.RefusedException;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.TimeRange;
import java.util.Arrays;
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
   * @param fields names of fields, and in the same places of {@code kinds} their kinds
   * @param extent where the key may have samples
   */
  record Standing(int series, String[] fields, Kind[] kinds, TimeRange extent) {
    static final Standing NOTHING =
        new Standing(-1, new String[0], new Kind[0], new TimeRange(0, 0));

    boolean has(String field, Kind kind) {
      for (int i = 0; i < fields.length; i++) {
        if (kinds[i] == kind && fields[i].equals(field)) {
          return true;
        }
      }
      return false;
    }

    Standing with(String field, Kind kind) {
      if (has(field, kind)) {
        return this;
      }
      String[] moreFields = Arrays.copyOf(fields, fields.length + 1);
      Kind[] moreKinds = Arrays.copyOf(kinds, kinds.length + 1);
      moreFields[fields.length] = field;
      moreKinds[kinds.length] = kind;
      return new Standing(series, moreFields, moreKinds, extent);
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
