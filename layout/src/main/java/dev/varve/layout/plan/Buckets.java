package dev.varve.layout.plan;

import dev.varve.layout.KeyPart;
import dev.varve.model.TimeRange;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The buckets of a time part that overlap a range.
 *
 * @param starts in rising order; null where they cannot be listed
 * @param closed why they cannot, in words; null where they can
 */
record Buckets(long @Nullable [] starts, @Nullable String closed) {
  static Buckets of(KeyPart.Time part, TimeRange times) {
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
    while (bucket < times.to()) {
      if (count == Weights.BUCKETS_HARD) {
        return closed(
            "the time range holds more than %,d buckets of %s: narrow it"
                .formatted(count, part.label()));
      }
      if (count == starts.length) {
        starts = Arrays.copyOf(starts, 2 * count);
      }
      starts[count++] = bucket;
      long next = part.next(bucket);
      if (next <= bucket) {
        break;
      }
      bucket = next;
    }
    return new Buckets(Arrays.copyOf(starts, count), null);
  }

  private static Buckets closed(String reason) {
    return new Buckets(null, reason);
  }

  int count() {
    return starts == null ? 0 : starts.length;
  }
}
