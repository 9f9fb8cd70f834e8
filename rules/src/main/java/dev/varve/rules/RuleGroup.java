package dev.varve.rules;

import com.dynatrace.hash4j.hashing.Hashing;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rules that are evaluated one after another, so that each sees what the preceding ones wrote.
 * Equal groups do the same.
 *
 * @param file the file that contains it; file and name together identify a group
 * @param interval time between evaluations; positive
 * @param queryOffset how far back the rules look; null for the default of all groups
 * @param limit maximum number of series or alerts per rule; 0 for no limit
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

  /** Returns the identifier used in metrics, as in Prometheus. */
  public String key() {
    return file + ";" + name;
  }

  /**
   * Returns the latest evaluation time that is not after {@code now}. The evaluation times of a
   * group are multiples of the interval, shifted by a hash of file and name so that groups do not
   * all start at once. They are the times that Prometheus 3.5 uses for a group of that file and
   * name.
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
   * Prometheus hashes its in-memory form of the labels {file="...", name="..."}: each name and
   * value is preceded by its length, which is one byte, or 0xFF and three bytes in little-endian
   * order.
   */
  private long hash() {
    ByteArrayOutputStream labels = new ByteArrayOutputStream();
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
    return Hashing.xxh64().hashBytesToLong(labels.toByteArray());
  }
}
