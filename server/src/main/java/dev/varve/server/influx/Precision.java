package dev.varve.server.influx;

import dev.varve.engine.Dataset;
import dev.varve.formats.text.InfluxLines;
import dev.varve.model.Resolution;
import java.time.Clock;
import org.jspecify.annotations.Nullable;

/**
 * The unit of a line's times, with a factor.
 *
 * @param factor 60 for minutes and 3,600 for hours of {@link Resolution#SECONDS}, else 1
 */
public record Precision(Resolution unit, int factor) {
  /**
   * Reads the word of a request or a configuration.
   *
   * @param word null or empty for nanoseconds
   * @throws IllegalArgumentException if the name is unknown
   */
  public static Precision of(@Nullable String word) {
    return switch (word == null || word.isEmpty() ? "ns" : word) {
      case "n", "ns" -> new Precision(Resolution.NANOSECONDS, 1);
      case "u", "us", "µ" -> new Precision(Resolution.MICROSECONDS, 1);
      case "ms" -> new Precision(Resolution.MILLISECONDS, 1);
      case "s" -> new Precision(Resolution.SECONDS, 1);
      case "m" -> new Precision(Resolution.SECONDS, 60);
      case "h" -> new Precision(Resolution.SECONDS, 3600);
      default ->
          throw new IllegalArgumentException(
              "invalid precision '%s': ns, us, ms, s, m and h are known".formatted(word));
    };
  }

  /**
   * Returns a parser of lines for a dataset. Lines without a time get the current time of the
   * clock.
   */
  public InfluxLines lines(Dataset dataset, Clock clock) {
    Resolution target = dataset.resolution();
    return new InfluxLines(
        unit,
        factor,
        target,
        () -> Resolution.MILLISECONDS.convert(clock.millis(), target),
        !dataset.holdsFields());
  }
}
