package dev.varve.engine.read;

import dev.varve.model.Kind;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Counts down the number of newest samples still to deliver per series. */
final class Newest {
  private record Of(int match, String field, @Nullable Kind kind) {}

  private final int wanted;
  private final Map<Of, Integer> left = new HashMap<>();

  /**
   * @param wanted number of samples per series; 0 for all
   */
  Newest(int wanted) {
    this.wanted = wanted;
  }

  /** Returns whether only the newest samples are requested. */
  boolean isAsked() {
    return wanted > 0;
  }

  /**
   * Takes samples of a series.
   *
   * @param match index of the key among the matching ones
   * @param kind null if samples of all kinds count together
   * @return the number of samples to deliver, at most {@code available}
   */
  int take(int match, String field, @Nullable Kind kind, int available) {
    Of of = new Of(match, field, kind);
    int still = left.getOrDefault(of, wanted);
    int taken = Math.min(still, available);
    left.put(of, still - taken);
    return taken;
  }

  /** Returns whether enough samples of a series were taken. */
  boolean isEnough(int match, String field, @Nullable Kind kind) {
    return left.getOrDefault(new Of(match, field, kind), wanted) == 0;
  }
}
