package dev.varve.engine.write;

import dev.varve.engine.WriteResult;
import dev.varve.engine.WriteResult.Rejection;
import dev.varve.layout.Refusal;
import dev.varve.model.Column;
import dev.varve.model.GroupKey;
import dev.varve.model.SampleGroup;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Counts what of a batch is refused, and keeps the first reasons. */
final class Tally {
  private final List<Rejection> rejections = new ArrayList<>(0);
  private int refused;

  /** Refuses a number of samples or attributes for one reason. */
  void refuse(
      int count, GroupKey key, @Nullable String field, @Nullable Long time, Refusal refusal) {
    refused += count;
    if (count > 0 && rejections.size() < WriteResult.REJECTIONS_MAX) {
      rejections.add(new Rejection(key, field, time, refusal));
    }
  }

  /** Refuses every value at one place of a group. */
  void refusePlace(SampleGroup group, int place, Refusal refusal) {
    int values = 0;
    for (Column column : group.columns()) {
      values += column.has(place) ? 1 : 0;
    }
    refuse(values, group.key(), null, group.times()[place], refusal);
  }

  void add(WriteResult other) {
    refused += other.refused();
    for (Rejection rejection : other.rejections()) {
      if (rejections.size() < WriteResult.REJECTIONS_MAX) {
        rejections.add(rejection);
      }
    }
  }

  int refused() {
    return refused;
  }

  /**
   * @param count how many samples and attributes there were
   */
  WriteResult result(int count) {
    return new WriteResult(count - refused, refused, List.copyOf(rejections));
  }
}
