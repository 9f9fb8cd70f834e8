package dev.varve.engine;

import dev.varve.layout.Refusal;
import dev.varve.model.GroupKey;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What became of a batch. What was accepted is as durable as the dataset promises.
 *
 * @param accepted how many samples and attributes
 * @param refused how many were not, and will never be as they are
 * @param rejections the first of the refused, with their reasons; at most {@link #REJECTIONS_MAX}
 * @param refusedByRule how many of the refused broke which {@linkplain Refusal#rule rule}
 */
public record WriteResult(
    int accepted, int refused, List<Rejection> rejections, Map<String, Integer> refusedByRule) {
  public static final int REJECTIONS_MAX = 1000;

  public WriteResult {
    rejections = List.copyOf(rejections);
    refusedByRule = Map.copyOf(refusedByRule);
  }

  /** A result whose every refusal has a rejection of its own. */
  public WriteResult(int accepted, int refused, List<Rejection> rejections) {
    this(
        accepted,
        refused,
        rejections,
        rejections.stream()
            .collect(Collectors.toMap(one -> one.refusal().rule(), one -> 1, Integer::sum)));
  }

  /**
   * One refused sample, attribute or, where time and field are null, key.
   *
   * @param time in the resolution of the dataset
   */
  public record Rejection(
      GroupKey key, @Nullable String field, @Nullable Long time, Refusal refusal) {}
}
