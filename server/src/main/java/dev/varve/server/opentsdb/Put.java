package dev.varve.server.opentsdb;

import dev.varve.engine.Dataset;
import dev.varve.engine.WriteResult.Rejection;
import dev.varve.formats.json.Json;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import dev.varve.server.DialectContext;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.HeldJson;
import dev.varve.server.http.HeldPart;
import dev.varve.server.http.WriteBudget.Reservation;
import dev.varve.server.ingest.Intake;
import dev.varve.server.opentsdb.query.JsonAnswer;
import dev.varve.server.opentsdb.query.OpenTsdbError;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.TokenStreamLocation;

/**
 * {@code POST /api/put}. Answers and errors are those of OpenTSDB 2.4, with two differences: a
 * point is durable when the answer is sent, with or without {@code sync}, and a failed store is
 * reported.
 *
 * <p>Points are read one at a time and written in batches, so that a body may be large. If its JSON
 * is malformed, the complete batches before that point have been written.
 */
final class Put {
  private static final Logger LOG = LoggerFactory.getLogger(Put.class);

  private static final long LAST_SECOND = 0xFFFF_FFFFL;
  private static final long LAST_MILLISECOND = 9_999_999_999_999L;

  /** Maximum number of failed points in an answer; a body may contain millions. */
  private static final int DETAILS_MAX = 10_000;

  /** Memory of a failed point kept for the answer, and of each of its characters, in bytes. */
  private static final int SHOWN_BYTES = 400;

  private static final int SHOWN_PER_CHARACTER = 8;

  private static final Pattern INTEGER = Pattern.compile("[+-]?[0-9]{1,19}");

  private static final String SEE_DETAILS =
      "Please see the TSD logs or append \"details\" to the put request";

  private final Exchange exchange;
  private final Dataset dataset;
  private final Intake intake;
  private final boolean wantsDetails;
  private final boolean wantsSummary;
  private final boolean wantsSync;
  private final int syncTimeout;
  private final long deadline;

  /** Memory of the request, and of writes, which may continue after it. */
  private final Reservation memory;

  private final Reservation ofWrites;
  private final HeldPart ofPlaced;
  private final BatchBuilder batch;
  private final List<Failure> failures = new ArrayList<>();

  /** The points of the batch, kept only if details are requested. */
  private final List<Placed> placed = new ArrayList<>();

  private int points;
  private int failed;
  private int timeouts;

  /** Whether a write exceeded the client's timeout and continues; no other write begins then. */
  private boolean abandoned;

  /**
   * The error of a point.
   *
   * @param place index of the point within the request, from 0
   */
  private record Failure(int place, @Nullable DataPoint point, String reason) {}

  /**
   * @param place index of the point within the request, from 0
   * @param stored the key as stored; null if the point does not pass the door
   * @param time in the resolution of the dataset
   * @param tooFine whether the time had to be rounded
   */
  private record Placed(
      int place,
      DataPoint point,
      GroupKey sent,
      @Nullable GroupKey stored,
      long time,
      boolean tooFine) {}

  Put(DialectContext context, Exchange exchange) {
    this.exchange = exchange;
    this.dataset = context.dataset(exchange);
    this.memory = exchange.memory();
    this.ofWrites = memory.another();
    this.ofPlaced = new HeldPart(memory);
    this.intake = context.intake(exchange, dataset, Telnet.NAME, ofWrites);
    this.batch = new BatchBuilder(memory::hold);
    this.wantsDetails = exchange.parameter("details") != null;
    this.wantsSummary = exchange.parameter("summary") != null;
    this.wantsSync = exchange.parameter("sync") != null;
    String timeout = exchange.parameter("sync_timeout");
    try {
      this.syncTimeout = timeout == null ? 0 : Integer.parseInt(timeout);
    } catch (NumberFormatException e) {
      throw new OpenTsdbError(500, String.valueOf(e.getMessage()));
    }
    this.deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(syncTimeout);
  }

  void run() throws IOException {
    try {
      read();
      write();
    } finally {
      // A write that outlives the request releases its memory when it ends.
      if (!abandoned) {
        ofWrites.close();
      }
    }
    answer();
  }

  private void read() throws IOException {
    try (InputStream body = exchange.body();
        JsonParser json = HeldJson.of(Json.FACTORY, body, memory)) {
      JsonToken first = json.nextToken();
      if (first == null) {
        throw new OpenTsdbError(400, "Missing request content");
      }
      if (first != JsonToken.START_OBJECT && first != JsonToken.START_ARRAY) {
        throw new OpenTsdbError(400, "The JSON must start as an object or an array");
      }
      new DataPointReader(json, memory).read(first, this::take);
    } catch (JacksonException e) {
      if (e.getCause() instanceof IOException io) {
        throw io;
      }
      intake.report(Intake.SYNTAX, 1, () -> "the body is not valid JSON of points: " + reason(e));
      throw new OpenTsdbError(400, "Unable to parse the given JSON", reason(e));
    }
    if (points == 0) {
      throw new OpenTsdbError(400, "No datapoints found in content");
    }
  }

  private static String reason(JacksonException failure) {
    TokenStreamLocation where = failure.getLocation();
    return where == null
        ? failure.getOriginalMessage()
        : "%s, line %d, column %d"
            .formatted(failure.getOriginalMessage(), where.getLineNr(), where.getColumnNr());
  }

  private void take(@Nullable DataPoint point) {
    points++;
    String wrong = point == null ? "Unexpected null datapoint encountered in set." : add(point);
    if (wrong != null) {
      intake.report(Intake.SYNTAX, 1, () -> (point == null ? "" : point.metric() + ": ") + wrong);
      failed++;
      note(points - 1, point, wrong);
    }
    if (intake.isFull(batch)) {
      write();
    }
  }

  private void note(int place, @Nullable DataPoint point, String reason) {
    if (wantsDetails
        && failures.size() < DETAILS_MAX
        && memory.tryHold(shownBytes(point) + SHOWN_PER_CHARACTER * (long) reason.length())) {
      failures.add(new Failure(place, point, reason));
    }
  }

  private static long shownBytes(@Nullable DataPoint point) {
    return SHOWN_BYTES + (point == null ? 0 : SHOWN_PER_CHARACTER * point.characters());
  }

  /** Adds a point to the batch; returns OpenTSDB's error message if the point is invalid. */
  private @Nullable String add(DataPoint point) {
    String metric = point.metric();
    String value = point.value();
    Map<String, @Nullable String> tags = point.tags();
    if (metric == null || metric.isEmpty()) {
      return "Metric name was empty";
    }
    if (point.timestamp() <= 0) {
      return "Invalid timestamp";
    }
    if (value == null || value.isEmpty()) {
      return "Empty value";
    }
    if (tags == null || tags.isEmpty()) {
      return "Missing tags";
    }
    boolean integer = looksLikeInteger(value);
    long whole = 0;
    double real = 0;
    try {
      if (integer) {
        whole = integer(value);
      } else {
        real = Double.parseDouble(value);
      }
    } catch (NumberFormatException e) {
      return "Unable to parse value to a number";
    }
    if (Double.isInfinite(real)) {
      return "value is NaN or Infinite: %s for metric=%s timestamp=%d"
          .formatted(Double.toString(real), metric, point.timestamp());
    }
    if (point.timestamp() > LAST_MILLISECOND) {
      return "bad timestamp=%d when trying to add value=%s to metric=%s, tags=%s"
          .formatted(point.timestamp(), value, metric, tags);
    }
    Map<String, String> plain = new TreeMap<>();
    for (Map.Entry<String, @Nullable String> tag : tags.entrySet()) {
      String text = tag.getValue();
      if (tag.getKey().isEmpty()) {
        return "Invalid tag name with value [%s]: empty string".formatted(text);
      }
      if (text == null || text.isEmpty()) {
        return "Invalid tag value with key [%s]: %s"
            .formatted(tag.getKey(), text == null ? "null" : "empty string");
      }
      plain.put(tag.getKey(), text);
    }
    GroupKey key = GroupKey.of(metric, Tags.of(plain));
    long time = point.timestamp() > LAST_SECOND ? point.timestamp() : 1000 * point.timestamp();
    if (integer) {
      batch.group(key).add(Series.DEFAULT_FIELD, time, whole);
    } else {
      batch.group(key).add(Series.DEFAULT_FIELD, time, real);
    }
    if (wantsDetails) {
      ofPlaced.hold(shownBytes(point) + 2L * key.byteCount());
      placed.add(placed(point, key, time));
    }
    return null;
  }

  private Placed placed(DataPoint point, GroupKey key, long millis) {
    Resolution resolution = dataset.resolution();
    try {
      long time = Resolution.MILLISECONDS.convert(millis, resolution);
      boolean tooFine = resolution.convert(time, Resolution.MILLISECONDS) != millis;
      return new Placed(points - 1, point, key, intake.stored(key), time, tooFine);
    } catch (ArithmeticException e) {
      // The time exceeds the range of the resolution, so the intake rejects the point.
      return new Placed(points - 1, point, key, intake.stored(key), millis, true);
    }
  }

  /** Returns whether OpenTSDB would parse the value as an integer, which excludes NaN. */
  private static boolean looksLikeInteger(String value) {
    return value.chars().noneMatch(c -> c == '.' || c == 'e' || c == 'E');
  }

  private static long integer(String value) {
    if (!INTEGER.matcher(value).matches()) {
      throw new NumberFormatException();
    }
    return Long.parseLong(value);
  }

  private void write() {
    int size = batch.sampleCount();
    if (size == 0) {
      return;
    }
    long refusedBefore = intake.refused();
    int namedBefore = intake.rejections().size();
    long bytes = batch.byteCount();
    if (!abandoned) {
      ofWrites.hold(2 * bytes);
    }
    Batch full = batch.build();
    memory.letGo(bytes);
    if (abandoned || !writeInTime(full, 2 * bytes)) {
      timeouts += size;
      placed.forEach(one -> note(one.place(), one.point(), "Write timedout"));
    } else {
      failed += (int) (intake.refused() - refusedBefore);
      if (wantsDetails) {
        for (int i = namedBefore; i < intake.rejections().size(); i++) {
          explain(intake.rejections().get(i), intake.isAsSent(i));
        }
      }
    }
    placed.clear();
    ofPlaced.letGo();
  }

  /**
   * Writes a batch; returns false if the client's timeout expires before it is durable.
   *
   * @param bytes memory of the batch and of its conversion
   */
  private boolean writeInTime(Batch full, long bytes) {
    if (!wantsSync || syncTimeout <= 0) {
      intake.write(full, false);
      ofWrites.letGo(bytes);
      return true;
    }
    // A write cannot be interrupted; after a timeout its outcome is only logged.
    FutureTask<Boolean> writing =
        new FutureTask<>(() -> {
          intake.write(full, false);
          return true;
        });
    long left = deadline - System.nanoTime();
    Thread.ofVirtual().name("varve-put").start(writing);
    try {
      if (left > 0 && writing.get(left, TimeUnit.NANOSECONDS)) {
        ofWrites.letGo(bytes);
        return true;
      }
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException cause
          ? cause
          : new IllegalStateException(e.getCause());
    } catch (TimeoutException e) {
      // Reported to the client below.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    abandon(writing);
    return false;
  }

  /** Detaches a write; its memory is released when it ends. */
  private void abandon(FutureTask<Boolean> writing) {
    abandoned = true;
    Thread.ofVirtual()
        .name("varve-put")
        .start(() -> {
          try (ofWrites) {
            writing.get();
          } catch (ExecutionException e) {
            LOG.warn("a write failed after its client had given up", e.getCause());
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
  }

  /**
   * Finds the points that a rejection refers to and records their errors.
   *
   * @param asSent whether the rejection names the key as sent rather than as stored
   */
  private void explain(Rejection rejection, boolean asSent) {
    String reason = rejection.refusal().message();
    Long time = rejection.time();
    boolean ofTooFine = rejection.refusal().rule().equals(Intake.TOO_FINE);
    for (Iterator<Placed> rest = placed.iterator(); rest.hasNext(); ) {
      Placed one = rest.next();
      boolean sameTime = ofTooFine ? one.tooFine() : time == null || time == one.time();
      if (sameTime && rejection.key().equals(asSent ? one.sent() : one.stored())) {
        note(one.place(), one.point(), reason);
        rest.remove();
        if (ofTooFine || time != null) {
          return;
        }
      }
    }
  }

  private void answer() throws IOException {
    boolean good = failed + timeouts == 0;
    int success = points - failed - timeouts;
    if (wantsSummary || wantsDetails) {
      exchange.answer(good ? 200 : 400, JsonAnswer.TYPE, Json.text(json -> summary(json, success)));
    } else if (timeouts > 0) {
      throw new OpenTsdbError(
          400,
          "The put call has timedout with %d successful writes, %d failed writes and %d timed out writes."
              .formatted(success, failed, timeouts),
          SEE_DETAILS);
    } else if (failed > 0) {
      throw new OpenTsdbError(400, "One or more data points had errors", SEE_DETAILS);
    } else {
      exchange.answer(204);
    }
  }

  private void summary(JsonGenerator json, int success) {
    json.writeStartObject();
    json.writeNumberProperty("success", success);
    json.writeNumberProperty("failed", failed);
    if (syncTimeout > 0) {
      json.writeNumberProperty("timeouts", timeouts);
    }
    if (wantsDetails) {
      json.writeArrayPropertyStart("errors");
      // Rejections by the intake are known later than parse errors.
      failures.sort(Comparator.comparingInt(Failure::place));
      for (Failure failure : failures) {
        json.writeStartObject();
        json.writeName("datapoint");
        if (failure.point() == null) {
          json.writeNull();
        } else {
          failure.point().write(json);
        }
        json.writeStringProperty("error", failure.reason());
        json.writeEndObject();
      }
      json.writeEndArray();
    }
    json.writeEndObject();
  }
}
