package dev.varve.layout.plan;

import dev.varve.layout.KeyPart;
import dev.varve.model.Recurring;
import dev.varve.model.TimeRange;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The buckets of a time part that overlap a range and contain a wanted time.
 *
 * @param starts the starts of the buckets in ascending order; null if they cannot be enumerated
 * @param share approximate share of these buckets among all buckets of the range; 1 for all
 * @param shareOfTimes approximate share of the range that these buckets cover; 1 for all
 * @param closed why the buckets cannot be enumerated; null if they can
 */
record Buckets(
    long @Nullable [] starts, double share, double shareOfTimes, @Nullable String closed) {
  /**
   * Enumerates the buckets.
   *
   * @param recurring the wanted times within the range; null for all
   */
  static Buckets of(KeyPart.Time part, TimeRange times, @Nullable Recurring recurring) {
    if (part.instant()) {
      return closed("the instants of " + part.label() + " cannot be listed");
    }
    if (times.from() == Long.MIN_VALUE) {
      return closed(
          "the buckets of " + part.label() + " cannot be listed for a time range without start");
    }
    long bucket = part.floor(times.from());
    if (part.lowestFrom(times.from()) != bucket) {
      return closed("the buckets of " + part.label() + " do not follow one another");
    }
    long[] starts = new long[16];
    int count = 0;
    double listed = 0;
    double within = 0;
    while (bucket < times.to()) {
      long next = part.next(bucket);
      if (recurring != null && !recurring.overlaps(new TimeRange(bucket, Math.max(bucket, next)))) {
        long wanted = part.floor(recurring.nextAt(next));
        if (wanted <= bucket) {
          break;
        }
        bucket = wanted;
        continue;
      }
      if (count == Weights.BUCKETS_HARD) {
        return closed(
            "the time range holds more than %,d buckets of %s: narrow it"
                .formatted(count, part.label()));
      }
      if (count == starts.length) {
        starts = Arrays.copyOf(starts, 2 * count);
      }
      starts[count++] = bucket;
      if (next <= bucket) {
        break;
      }
      listed += (double) next - bucket;
      within += (double) Math.min(next, times.to()) - Math.max(bucket, times.from());
      bucket = next;
    }
    double all = Math.max(1, (double) times.to() - part.floor(times.from()));
    double length = Math.max(1, (double) times.to() - times.from());
    return recurring == null
        ? new Buckets(Arrays.copyOf(starts, count), 1, 1, null)
        : new Buckets(
            Arrays.copyOf(starts, count),
            Math.min(1, listed / all),
            Math.min(1, within / length),
            null);
  }

  private static Buckets closed(String reason) {
    return new Buckets(null, 1, 1, reason);
  }

  int count() {
    return starts == null ? 0 : starts.length;
  }
}
