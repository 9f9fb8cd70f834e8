package dev.varve.matrix.differential;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/** Makes random requests about the runs of roll-ups: their status, and those of the past. */
final class KairosDbRuns {
  private static final String PATH = "/api/v1/rollups/";
  private static final long HOUR = 3_600_000;

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd-HH-mm-ss-SSS").withZone(ZoneOffset.UTC);

  private final Choices choices;
  private final Supplier<List<String>> ids;

  /**
   * Creates a generator.
   *
   * @param ids the IDs of roll-ups that exist, in their common names
   */
  KairosDbRuns(Choices choices, Supplier<List<String>> ids) {
    this.choices = choices;
    this.ids = ids;
  }

  Request any() {
    Set<String> features = choices.begin();
    List<String> known = ids.get();
    boolean exists =
        !known.isEmpty() && choices.draw("task", "one", "one ", "none").startsWith("o");
    String id = exists ? choices.pick(known) : "unknown";
    if (choices.draw("run", "status", "backfill").equals("status")) {
      choices.note("endpoint GET rollups/status id");
      return new Request("GET", PATH + "status/" + id, null, Set.copyOf(features));
    }
    choices.note("endpoint GET rollups/backfill id");
    return new Request("GET", PATH + "backfill/" + id + times(), null, Set.copyOf(features));
  }

  private String times() {
    long from = KairosDbPoints.START + choices.below(1_000_000);
    String start = TIME.format(Instant.ofEpochMilli(from));
    String end = TIME.format(Instant.ofEpochMilli(from + HOUR * choices.below(4)));
    return switch (choices.draw("times", "both", "both ", "no start", "start is no time")) {
      case "no start" -> "?endTime=" + end;
      case "start is no time" -> "?startTime=2024-01-01&endTime=" + end;
      default -> "?startTime=" + start + "&endTime=" + end;
    };
  }
}
