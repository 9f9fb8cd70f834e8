package dev.varve.server.ingest;

import dev.varve.engine.DatasetConfig;
import dev.varve.engine.DatasetConfig.PeriodConfig;
import dev.varve.layout.Layout;
import dev.varve.layout.Refusal;
import dev.varve.model.Kind;
import dev.varve.model.Resolution;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;

/**
 * Whether an integer whose sender does not insist on its being one is stored as a double.
 *
 * <p>Many senders print a double that happens to be whole without a point, so that to them {@code
 * 0} and {@code 0.5} are values of one kind. Where a layout holds only doubles, such an integer is
 * stored as the double that is exactly equal to it; one that no double equals is refused. Where the
 * layout holds integers, or the sender has named the type, nothing is changed.
 */
public final class Coercion {
  /** The rule by which an integer that no double equals is refused. */
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

  /** What holds in each period of a dataset; all its layouts have to hold the value. */
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

  private static long time(Instant instant, Layout layout) {
    Resolution resolution = layout.resolution();
    return Math.addExact(
        Math.multiplyExact(instant.getEpochSecond(), resolution.perSecond()),
        instant.getNano() / (1_000_000_000L / resolution.perSecond()));
  }

  /** Whether there is any time at which integers become doubles. */
  public boolean any() {
    return any;
  }

  /** Whether integers of that time, in the resolution of the dataset, become doubles. */
  public boolean applies(long time) {
    if (!any) {
      return false;
    }
    int at = Arrays.binarySearch(starts, time);
    return doublesOnly[at >= 0 ? at : -at - 2];
  }

  /** Whether a double is exactly equal to the integer. */
  public static boolean isExact(long value) {
    double nearest = value;
    return nearest != TWO_TO_63 && (long) nearest == value;
  }

  static Refusal inexact(long value) {
    return new Refusal(
        INEXACT, "the layout holds doubles alone, and no double is equal to the integer " + value);
  }
}
