package dev.varve.engine.delete;

import dev.varve.model.TagFilter;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The records of a dataset beside its series, which may name series that were removed. */
@FunctionalInterface
public interface SideRecords {
  /**
   * Takes out labels that no series has, also out of the files of stores that keep files here.
   *
   * @param removed labels of the removed series, with the metric as {@code __name__}; other series
   *     may have them; null if there are too many
   * @throws dev.varve.store.StoreException if the home fails; this can be repeated
   */
  void forget(@Nullable Set<TagFilter.Equal> removed);
}
