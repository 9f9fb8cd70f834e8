package dev.varve.store;

import dev.varve.model.Bytes;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Maintenance that a store may perform on a table. All of it is advisory: readers trim by
 * themselves.
 *
 * @param retention how long cells are needed after they were written, at least as long as readers
 *     see them; null means forever. A store may remove older cells at any time, but no younger ones
 * @param bucket the time span that neighbouring cells share, from which a store derives its
 *     compaction windows; null if there is none
 * @param splits row keys at which a new table is pre-split, ascending; empty for a single part
 */
public record Upkeep(@Nullable Duration retention, @Nullable Duration bucket, List<Bytes> splits) {
  public static final Upkeep NONE = new Upkeep(null, null, List.of());

  public Upkeep {
    splits = List.copyOf(splits);
  }
}
