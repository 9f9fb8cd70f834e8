package dev.varve.engine.read;

import dev.varve.model.Kind;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Counts down how many of the newest samples of each series are still wanted. */
final class Newest {
  private record Of(int match, String field, @Nullable Kind kind) {}

  private final int wanted;
  private final Map<Of, Integer> left = new HashMap<>();

  /**
   * A count for a request.
   *
   * @param wanted of each series; 0 for all
   */
  Newest(int wanted) {
    this.wanted = wanted;
  }

  /** Whether only the newest samples are wanted. */
  boolean isAsked() {
    return wanted > 0;
  }

  /**
   * Takes samples of a series.
   *
   * @param match the place of its key among those that match
   * @param kind null where samples of all kinds count together
   * @return how many of them are wanted
   */
  int take(int match, String field, @Nullable Kind kind, int available) {
    Of of = new Of(match, field, kind);
    int still = left.getOrDefault(of, wanted);
    int taken = Math.min(still, available);
    left.put(of, still - taken);
    return taken;
  }

  /** Whether enough was taken of a series. */
  boolean isEnough(int match, String field, @Nullable Kind kind) {
    return left.getOrDefault(new Of(match, field, kind), wanted) == 0;
  }
}
