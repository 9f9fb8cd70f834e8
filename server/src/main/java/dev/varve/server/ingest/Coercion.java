package dev.varve.server.ingest;

import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.DatasetConfig.PeriodConfig;
import dev.varve.layout.Refusal;
import dev.varve.layout.StorageLayout;
import dev.varve.model.Kind;
import dev.varve.model.Resolution;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;

/**
 * Decides whether an integer is stored as a double if its sender does not insist on the type.
 *
 * <p>Many senders print whole doubles without a point, so {@code 0} and {@code 0.5} are values of
 * one kind for them. If a layout holds only doubles, such an integer is stored as the double that
 * equals it exactly; one that no double equals is refused. If the layout holds integers, or the
 * sender has named the type, nothing changes.
 */
public final class Coercion {
  /** The rule that refuses an integer that no double equals. */
  public static final String INEXACT = "coercion.inexact";

  private static final double TWO_TO_63 = 0x1p63;

  private final long[] starts;
  private final boolean[] doublesOnly;
  private final boolean any;

  private Coercion(long[] starts, boolean[] doublesOnly) {
    this.starts = starts;
    this.doublesOnly = doublesOnly;
    boolean found = false;
    for (boolean one : doublesOnly) {
      found |= one;
    }
    this.any = found;
  }

  /** Returns the coercion for each period of a dataset; all its layouts must hold the value. */
  public static Coercion of(DatasetConfig dataset) {
    List<PeriodConfig> periods = dataset.periods();
    long[] starts = new long[periods.size()];
    boolean[] doublesOnly = new boolean[starts.length];
    for (int i = 0; i < starts.length; i++) {
      PeriodConfig period = periods.get(i);
      starts[i] = i == 0 ? Long.MIN_VALUE : time(period.from(), period.layouts().getFirst());
      doublesOnly[i] =
          period.layouts().stream()
              .anyMatch(layout ->
                  layout.domain().kinds().contains(Kind.DOUBLE)
                      && !layout.domain().kinds().contains(Kind.INT64));
    }
    return new Coercion(starts, doublesOnly);
  }

  private static long time(Instant instant, StorageLayout layout) {
    Resolution resolution = layout.resolution();
    return Math.addExact(
        Math.multiplyExact(instant.getEpochSecond(), resolution.perSecond()),
        instant.getNano() / (1_000_000_000L / resolution.perSecond()));
  }

  /** Returns whether integers become doubles at any time. */
  public boolean any() {
    return any;
  }

  /** Returns whether integers at a time, in the resolution of the dataset, become doubles. */
  public boolean applies(long time) {
    if (!any) {
      return false;
    }
    int at = Arrays.binarySearch(starts, time);
    return doublesOnly[at >= 0 ? at : -at - 2];
  }

  /** Returns whether a double equals the integer exactly. */
  public static boolean isExact(long value) {
    double nearest = value;
    return nearest != TWO_TO_63 && (long) nearest == value;
  }

  static Refusal inexact(long value) {
    return new Refusal(
        INEXACT, "the layout holds doubles alone, and no double is equal to the integer " + value);
  }
}
