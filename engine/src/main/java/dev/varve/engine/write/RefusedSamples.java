package dev.varve.engine.write;

import dev.varve.engine.request.WriteResult;
import dev.varve.engine.request.WriteResult.Rejection;
import dev.varve.layout.Refusal;
import dev.varve.model.Column;
import dev.varve.model.GroupKey;
import dev.varve.model.SampleGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Counts the refused samples of a batch, and keeps the first reasons. For one thread. */
final class RefusedSamples {
  private final List<Rejection> rejections = new ArrayList<>(0);
  private final Map<String, Integer> byRule = new TreeMap<>();
  private int refused;

  /** Counts samples or attributes as refused for one reason. */
  void refuse(
      int count, GroupKey key, @Nullable String field, @Nullable Long time, Refusal refusal) {
    if (count == 0) {
      return;
    }
    refused += count;
    byRule.merge(refusal.rule(), count, Integer::sum);
    if (rejections.size() < WriteResult.REJECTIONS_MAX) {
      rejections.add(new Rejection(key, field, time, refusal));
    }
  }

  /** Counts every value at one index of a group as refused. */
  void refuseAll(SampleGroup group, int index, Refusal refusal) {
    int values = 0;
    for (Column column : group.columns()) {
      values += column.has(index) ? 1 : 0;
    }
    refuse(values, group.key(), null, group.times()[index], refusal);
  }

  void add(WriteResult other) {
    refused += other.refused();
    other.refusedByRule().forEach((rule, count) -> byRule.merge(rule, count, Integer::sum));
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
   * Returns the result of the batch.
   *
   * @param count number of samples and attributes in the batch
   */
  WriteResult result(int count) {
    return new WriteResult(count - refused, refused, rejections, byRule);
  }
}
