package dev.varve.formats.export;

import dev.varve.model.Kind;
import dev.varve.model.Resolution;
import dev.varve.model.Samples;
import dev.varve.model.Series;
import java.io.IOException;
import java.io.Writer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import org.jspecify.annotations.Nullable;

/**
 * Writes the same text as the writer of its format, in pieces that all processors format at once.
 * The calling thread gathers the samples of a piece and writes the finished ones in their order, so
 * the target needs no synchronization. Holds at most {@link #BYTES_MAX} bytes of pieces, beside a
 * single sample or line that is larger.
 */
public final class ParallelExport implements ExportWriter {
  /** Characters from which a piece is complete: some hundred samples. */
  static final int PIECE = 64 << 10;

  /** Maximum number of characters of all pieces together, unless there is only one. */
  static final int IN_FLIGHT = 1 << 20;

  /** Memory of the pieces in bytes: a builder and its string, of two bytes a character. */
  public static final long BYTES_MAX = 4L * IN_FLIGHT;

  /**
   * Maximum number of characters of kind, time and number of a sample, or of the frame of a line.
   */
  private static final int FRAME = 56;

  /** Maximum number of characters that surround a name and a value. */
  private static final int PAIR = 16;

  /** Characters of one that is escaped, at most, such as \u0000. */
  private static final int ESCAPED = 6;

  private final ExportFormat format;
  private final Writer out;
  private final Resolution resolution;
  private final int rows;

  /** Samples that a piece has as a whole or not at all: a line of JSON. */
  private final int unit;

  private final Checkpoints checkpoints;
  private final Deque<UnderWay> underWay = new ArrayDeque<>();
  private boolean begun;
  private long written;
  private long leftOut;
  private long inFlight;
  private Piece piece = new Piece();
  private @Nullable Series series;

  /** Maximum number of characters of the series in each line. */
  private long head;

  /** Called when all samples up to one have reached the target. */
  public interface Checkpoints {
    /** Ignores all positions. */
    Checkpoints NONE = (last, time, written, leftOut) -> {};

    /**
     * Receives the position.
     *
     * @param last the series of the last sample
     * @param time its time
     * @param written samples that reached the target, with those that the format left out
     * @param leftOut samples that the format left out
     */
    void reached(Series last, long time, long written, long leftOut) throws IOException;
  }

  private record UnderWay(Piece piece, ForkJoinTask<Text> text) {}

  private record Text(String text, long leftOut) {}

  /** Samples of one run. */
  private record Part(Series series, Samples samples) {}

  /** Parts that are formatted as a whole. */
  private static final class Piece {
    private final List<Part> parts = new ArrayList<>();
    private long width;
    private long samples;

    private void add(Series series, Samples run, int from, int to, long characters) {
      Samples copy = new Samples(run.kind());
      copy.addAll(run, from, to);
      parts.add(new Part(series, copy));
      width += characters;
      samples += to - from;
    }
  }

  /**
   * Begins a text.
   *
   * @param resolution the unit of the samples' times
   * @param rows maximum samples of a line, for JSON lines; at least 1
   */
  public ParallelExport(ExportFormat format, Writer out, Resolution resolution, int rows) {
    this(format, out, resolution, rows, false, 0, 0, Checkpoints.NONE);
  }

  /**
   * Begins a text, or goes on with one.
   *
   * @param begun whether something is written already
   * @param written samples of before, with those that were left out
   * @param leftOut samples of before that were left out
   */
  public ParallelExport(
      ExportFormat format,
      Writer out,
      Resolution resolution,
      int rows,
      boolean begun,
      long written,
      long leftOut,
      Checkpoints checkpoints) {
    this.format = format;
    this.out = out;
    this.resolution = resolution;
    this.rows = rows;
    this.unit = format == ExportFormat.json ? rows : 1;
    this.begun = begun;
    this.written = written;
    this.leftOut = leftOut;
    this.checkpoints = checkpoints;
  }

  @Override
  public void write(Series next, Samples samples, int from, int to) throws IOException {
    if (!next.equals(series)) {
      series = next;
      head = widthOf(next);
    }
    int at = from;
    while (at < to) {
      int end = at;
      long width = 0;
      do {
        int line = Math.min(to, end + unit);
        width += head + widthOf(samples, end, line);
        end = line;
      } while (end < to && piece.width + width < PIECE);
      piece.add(next, samples, at, end, width);
      at = end;
      if (piece.width >= PIECE) {
        submit();
      }
    }
  }

  private static long widthOf(Series series) {
    long width = FRAME + PAIR + widthOf(series.metric()) + widthOf(series.field());
    for (Map.Entry<String, String> label : series.labels().entrySet()) {
      width += PAIR + widthOf(label.getKey()) + widthOf(label.getValue());
    }
    return width;
  }

  private static long widthOf(String text) {
    return text.length()
        + (ESCAPED - 1) * text.chars().filter(c -> c < ' ' || c == '"' || c == '\\').count();
  }

  private static long widthOf(Samples samples, int from, int to) {
    long width = (long) FRAME * (to - from);
    return samples.kind() == Kind.STRING
        ? width + (long) ESCAPED * (samples.textEnd(to - 1) - samples.textStart(from))
        : width;
  }

  /** Has the piece formatted, once there is room for its text. */
  private void submit() throws IOException {
    Piece full = piece;
    piece = new Piece();
    while (!underWay.isEmpty()
        && (underWay.element().text().isDone() || inFlight + full.width > IN_FLIGHT)) {
      writeFirst();
    }
    inFlight += full.width;
    underWay.add(new UnderWay(full, ForkJoinPool.commonPool().submit(() -> text(full))));
  }

  private Text text(Piece of) throws IOException {
    PieceText text = new PieceText(Math.toIntExact(Math.min(of.width, IN_FLIGHT)));
    ExportWriter writer = format.to(text, resolution, rows, true, 0);
    for (Part part : of.parts) {
      writer.write(part.series(), part.samples(), 0, part.samples().size());
    }
    return new Text(text.toString(), writer.leftOut());
  }

  private void writeFirst() throws IOException {
    UnderWay first = underWay.remove();
    Text text = first.text().join();
    begin();
    out.write(text.text());
    inFlight -= first.piece().width;
    written += first.piece().samples;
    leftOut += text.leftOut();
    Part last = first.piece().parts.getLast();
    checkpoints.reached(
        last.series(), last.samples().time(last.samples().size() - 1), written, leftOut);
  }

  private void begin() throws IOException {
    if (!begun) {
      begun = true;
      out.write(format.header(resolution));
    }
  }

  @Override
  public void finish() throws IOException {
    if (piece.samples > 0) {
      submit();
    }
    while (!underWay.isEmpty()) {
      writeFirst();
    }
    begin();
    format.to(out, resolution, rows, true, leftOut).finish();
  }

  /** Returns the number of samples that the format cannot hold, of those in the target. */
  @Override
  public long leftOut() {
    return leftOut;
  }

  /** Returns the characters of the pieces that are not in the target yet, at most. */
  long inFlight() {
    return inFlight;
  }
}
