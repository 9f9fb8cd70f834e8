package dev.varve.layout.plan;

import dev.varve.layout.Binding;
import dev.varve.model.TagFilter;
import dev.varve.model.TimeRange;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** What the catalog has counted. Every answer may be unknown. */
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
   * About how many keys of a metric match all of some filters.
   *
   * @param times leaves out keys that surely have no sample in the range; null for all
   */
  OptionalLong series(String metric, List<TagFilter> filters, @Nullable TimeRange times);

  /** About how many cells of a key have sample times in a range. */
  OptionalLong cells(Binding binding, TimeRange times);

  /** About how many rows of a key overlap a range. */
  OptionalLong buckets(Binding binding, TimeRange times);

  /**
   * A range outside of which no key of the plan has a sample. It bounds what an open query must
   * enumerate; not an estimate, since what lies outside is not read.
   */
  Optional<TimeRange> times();
}
