package dev.varve.cli.migrate;

import dev.varve.cli.io.CommandFailedException;
import dev.varve.cli.io.JsonTree;
import dev.varve.model.Kind;
import dev.varve.model.Samples;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The values of one type of a field of one series, as InfluxDB sends them in chunks. */
final class InfluxValues implements AutoCloseable {
  private final BufferedReader chunks;
  private final Kind kind;
  private @Nullable Samples samples;
  private int at;

  /**
   * Reads the first values.
   *
   * @param chunks lines of JSON, which are closed with this
   * @param type as InfluxDB names it
   */
  InfluxValues(BufferedReader chunks, String type) throws IOException {
    this.chunks = chunks;
    this.kind = kind(type);
    advance();
  }

  private static Kind kind(String type) {
    return switch (type) {
      case "float" -> Kind.DOUBLE;
      case "integer", "boolean" -> Kind.INT64;
      case "string" -> Kind.STRING;
      default ->
          throw new CommandFailedException("the source has a field of the type '" + type + "'");
    };
  }

  /** Passes on the values of all in the order of time. */
  static void merge(List<InfluxValues> all, InOrder to) throws IOException {
    List<InfluxValues> left =
        new ArrayList<>(all.stream().filter(values -> !values.isAtEnd()).toList());
    while (!left.isEmpty()) {
      left.sort(Comparator.comparingLong(InfluxValues::time));
      InfluxValues first = left.getFirst();
      first.passUntil(left.size() == 1 ? Long.MAX_VALUE : left.get(1).time(), to);
      left.removeIf(InfluxValues::isAtEnd);
    }
  }

  private boolean isAtEnd() {
    return samples == null;
  }

  private long time() {
    return Objects.requireNonNull(samples).time(at);
  }

  /** Passes on the next value and those before a time. */
  private void passUntil(long time, InOrder to) throws IOException {
    Samples some = Objects.requireNonNull(samples);
    int end = at + 1;
    while (end < some.size() && some.time(end) < time) {
      end++;
    }
    to.accept(some, at, end);
    at = end;
    if (at == some.size()) {
      advance();
    }
  }

  private void advance() throws IOException {
    samples = null;
    at = 0;
    for (String chunk = chunks.readLine(); chunk != null; chunk = chunks.readLine()) {
      Samples next =
          chunk.isBlank() ? new Samples(kind) : read(InfluxSource.rowsOf(JsonTree.parse(chunk)));
      if (!next.isEmpty()) {
        samples = next;
        return;
      }
    }
  }

  private Samples read(List<Object> rows) {
    Samples read = new Samples(kind);
    for (Object row : rows) {
      List<Object> cells = JsonTree.list(row);
      if (cells.size() < 2 || !(cells.getFirst() instanceof Long time)) {
        continue;
      }
      switch (cells.get(1)) {
        case String text when kind == Kind.STRING -> {
          byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
          read.add(time, utf8, 0, utf8.length, 0);
        }
        case Boolean truth when kind == Kind.INT64 -> read.add(time, truth ? 1L : 0L, 0);
        case Long number when kind == Kind.INT64 -> read.add(time, (long) number, 0);
        case Number number when kind == Kind.DOUBLE -> read.add(time, number.doubleValue(), 0);
        case Object other ->
            throw new CommandFailedException(
                "the source sends '%s' as a value of a field of another type".formatted(other));
      }
    }
    return read;
  }

  @Override
  public void close() throws IOException {
    chunks.close();
  }
}
