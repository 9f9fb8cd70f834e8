package dev.varve.server.varve;

import dev.varve.formats.json.JsonLines;
import dev.varve.formats.points.PointWriter;
import dev.varve.model.Samples;
import dev.varve.query.ResultSeries;
import dev.varve.query.ResultSink;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * Writes a result as lines of JSON, {@code
 * {"metric":"m","labels":{"host":"a"},"points":[[time,value],...]}}. A line holds a limited number
 * of points, so that both ends can stream. Values are written as in the point form; a gap is null.
 */
public final class ResultLines implements ResultSink, AutoCloseable {
  private static final int POINTS_A_LINE = 1000;

  private final OutputStream out;
  private final JsonGenerator json;
  private @Nullable ResultSeries series;
  private int pointsInLine;
  private boolean lineOpen;

  /** Writes to a stream, which stays open. */
  public ResultLines(OutputStream out) {
    this.out = out;
    this.json = JsonLines.generator(out);
  }

  @Override
  public void begin(ResultSeries next) {
    series = next;
    pointsInLine = 0;
  }

  @Override
  public void samples(Samples samples, int from, int to) {
    for (int i = from; i < to; i++) {
      beginPoint(samples.time(i));
      switch (samples.kind()) {
        case DOUBLE -> writeDouble(samples.doubleAt(i));
        case INT64 -> json.writeNumber(samples.longAt(i));
        case STRING -> PointWriter.write(samples.value(i), json);
      }
      json.writeEndArray();
    }
  }

  private void writeDouble(double value) {
    if (Double.isFinite(value)) {
      json.writeRawValue(Double.toString(value));
    } else {
      json.writeString(Double.toString(value));
    }
  }

  @Override
  public void gap(long time) {
    beginPoint(time);
    json.writeNull();
    json.writeEndArray();
  }

  private void beginPoint(long time) {
    if (pointsInLine == POINTS_A_LINE) {
      endLine();
    }
    if (!lineOpen) {
      beginLine();
    }
    pointsInLine++;
    json.writeStartArray();
    json.writeNumber(time);
  }

  private void beginLine() {
    ResultSeries current = Objects.requireNonNull(series);
    json.writeStartObject();
    json.writeStringProperty("metric", current.metric());
    json.writeName("labels");
    json.writeStartObject();
    current.labels().forEach(json::writeStringProperty);
    json.writeEndObject();
    json.writeName("points");
    json.writeStartArray();
    lineOpen = true;
  }

  private void endLine() {
    if (!lineOpen) {
      return;
    }
    json.writeEndArray();
    json.writeEndObject();
    json.flush();
    try {
      out.write('\n');
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    lineOpen = false;
    pointsInLine = 0;
  }

  @Override
  public void end() {
    endLine();
  }

  /** Ends the result with an error; nothing may follow. */
  public void fail(String message) {
    if (lineOpen) {
      endLine();
    }
    json.writeStartObject();
    json.writeStringProperty("error", message);
    json.writeEndObject();
    json.flush();
  }

  /** Flushes buffered output. The stream stays open. */
  @Override
  public void close() {
    json.flush();
  }
}
