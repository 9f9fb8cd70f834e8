package dev.varve.layout.plan;

import dev.varve.layout.Binding;
import dev.varve.model.TagFilter;
import dev.varve.model.TimeRange;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Counts from the catalog, for the planning of one query. Every count may be unknown. */
public interface Census {
  Census UNKNOWN =
      new Census() {
        @Override
        public OptionalLong series(
            String metric, List<TagFilter> filters, @Nullable TimeRange times) {
          return OptionalLong.empty();
        }

        @Override
        public OptionalLong cells(Binding binding, TimeRange times) {
          return OptionalLong.empty();
        }

        @Override
        public OptionalLong buckets(Binding binding, TimeRange times) {
          return OptionalLong.empty();
        }

        @Override
        public Optional<TimeRange> times() {
          return Optional.empty();
        }
      };

  /**
   * Returns the approximate number of keys of a metric that match all filters.
   *
   * @param times excludes keys known to have no sample in this range; null to count all
   */
  OptionalLong series(String metric, List<TagFilter> filters, @Nullable TimeRange times);

  /** Returns the approximate number of cells of a key with sample times in a range. */
  OptionalLong cells(Binding binding, TimeRange times);

  /** Returns the approximate number of rows of a key that overlap a range. */
  OptionalLong buckets(Binding binding, TimeRange times);

  /**
   * Returns a range outside of which none of the matched keys has a sample. It bounds the buckets
   * of queries without a time range. It must not be an estimate: samples outside it are not read.
   */
  Optional<TimeRange> times();
}
