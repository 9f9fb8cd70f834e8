package dev.varve.query.rules;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rules that are worked out one after the other, so that each sees what those before it have
 * written. Equal groups do the same.
 *
 * @param file where it was read, which together with the name tells it from others
 * @param interval from one evaluation to the next; positive
 * @param queryOffset how far back the rules look; null for what holds for all groups
 * @param limit how many series or alerts a rule may give; 0 for any number
 */
public record RuleGroup(
    String file,
    String name,
    Duration interval,
    @Nullable Duration queryOffset,
    int limit,
    List<Rule> rules) {
  public RuleGroup {
    rules = List.copyOf(rules);
  }

  /** By what it is known in metrics, as in Prometheus. */
  public String key() {
    return file + ";" + name;
  }

  /**
   * The last time for an evaluation that is not behind a time. The times of a group are an interval
   * apart, and away from the full interval by a hash of file and name, so that groups do not all
   * begin at once; they are those that Prometheus 3.5 has for a group of that file and name.
   */
  Instant slot(Instant now) {
    long nanos = interval.toNanos();
    long offset = Long.remainderUnsigned(hash(), nanos);
    long adjusted = nanosOf(now) - offset;
    return at(adjusted - Math.floorMod(adjusted, nanos) + offset);
  }

  private static long nanosOf(Instant time) {
    return Math.addExact(Math.multiplyExact(time.getEpochSecond(), 1_000_000_000L), time.getNano());
  }

  private static Instant at(long nanos) {
    return Instant.ofEpochSecond(
        Math.floorDiv(nanos, 1_000_000_000L), Math.floorMod(nanos, 1_000_000_000L));
  }

  /*
   * Prometheus hashes the labels {file="...", name="..."} as it keeps them in memory: every name
   * and value behind its length, which is one byte, or 0xFF and three bytes, the lowest first.
   */
  private long hash() {
    java.io.ByteArrayOutputStream labels = new java.io.ByteArrayOutputStream();
    for (String text : List.of("file", file, "name", name)) {
      byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
      if (utf8.length < 255) {
        labels.write(utf8.length);
      } else {
        labels.write(255);
        labels.write(utf8.length);
        labels.write(utf8.length >> 8);
        labels.write(utf8.length >> 16);
      }
      labels.writeBytes(utf8);
    }
    return XxHash64.of(labels.toByteArray());
  }
}
