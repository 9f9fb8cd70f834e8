package dev.varve.store;

import dev.varve.model.Bytes;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a store may do for a table beside keeping it. All of it is advice: whoever reads trims by
 * itself.
 *
 * @param retention how long cells are needed after they were written, which is no shorter than what
 *     readers see; null for ever. A store may remove older ones when it likes, and none earlier
 * @param bucket the stretch of time that neighbouring cells share, from which a store derives the
 *     windows that it compacts together; null where there is none
 * @param splits row keys at which a new table is split from the start, rising; none for one part
 */
public record Upkeep(@Nullable Duration retention, @Nullable Duration bucket, List<Bytes> splits) {
  public static final Upkeep NONE = new Upkeep(null, null, List.of());

  public Upkeep {
    splits = List.copyOf(splits);
  }
}
