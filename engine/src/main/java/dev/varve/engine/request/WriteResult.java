package dev.varve.engine.request;

import dev.varve.layout.Refusal;
import dev.varve.model.GroupKey;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The result of writing a batch. Accepted samples are as durable as the dataset promises.
 *
 * @param accepted number of samples and attributes accepted
 * @param refused number of samples and attributes refused; retrying them unchanged is useless
 * @param rejections the first refusals, with reasons; at most {@link #REJECTIONS_MAX}
 * @param refusedByRule number of refusals by {@linkplain Refusal#rule rule}
 */
public record WriteResult(
    int accepted, int refused, List<Rejection> rejections, Map<String, Integer> refusedByRule) {
  public static final int REJECTIONS_MAX = 1000;

  public WriteResult {
    rejections = List.copyOf(rejections);
    refusedByRule = Map.copyOf(refusedByRule);
  }

  /** Creates a result in which every refusal has its own rejection. */
  public WriteResult(int accepted, int refused, List<Rejection> rejections) {
    this(
        accepted,
        refused,
        rejections,
        rejections.stream()
            .collect(Collectors.toMap(one -> one.refusal().rule(), one -> 1, Integer::sum)));
  }

  /**
   * A refused sample or attribute; a refused key if time and field are null.
   *
   * @param time in the resolution of the dataset
   */
  public record Rejection(
      GroupKey key, @Nullable String field, @Nullable Long time, Refusal refusal) {}
}
