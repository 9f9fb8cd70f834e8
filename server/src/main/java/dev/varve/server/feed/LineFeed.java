package dev.varve.server.feed;

import dev.varve.engine.Dataset;
import dev.varve.formats.text.BadLineException;
import dev.varve.formats.text.LineFormat;
import dev.varve.formats.text.OpenText;
import dev.varve.server.http.WriteBudget.Reservation;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.Function;

/**
 * Lines of a text format, one after the other, without answers. Received lines are written before
 * more are read. Bad lines are skipped and counted.
 */
public final class LineFeed implements FeedProtocol.Reader {
  private final int lineMax;
  private final boolean quotes;
  private final Function<Dataset, LineFormat> format;

  /**
   * @param lineMax bytes of the longest line that is read
   * @param quotes whether texts may be quoted. Bytes after a line with an open quote are not parsed
   *     as lines, so that a text cannot inject lines
   * @param format reads the lines of one connection
   */
  public LineFeed(int lineMax, boolean quotes, Function<Dataset, LineFormat> format) {
    this.lineMax = lineMax;
    this.quotes = quotes;
    this.format = format;
  }

  @Override
  public void read(Dataset dataset, InputStream in, FeedWriter writer, Reservation memory)
      throws IOException {
    LineBuffer lines = new LineBuffer(lineMax, memory);
    OpenText text = new OpenText();
    LineFormat reader = format.apply(dataset);
    boolean first = true;
    boolean more = true;
    while (more) {
      more = lines.fill(in);
      while (lines.next()) {
        if (first && lines.mayBeHttp()) {
          writer.closes("an HTTP request came to a listener of lines");
          return;
        }
        first = false;
        if (!lines.tooLong()) {
          writer.read(() -> read(lines, reader, text, writer));
          continue;
        }
        if (lines.dropped().isEmpty()) {
          writer.bad("a line is longer than %,d bytes".formatted(lineMax));
        } else {
          writer.lost(lines.dropped());
        }
        if (quotes) {
          // What follows may be the inside of a text.
          writer.flush();
          return;
        }
      }
      if (!more && lines.hasRest()) {
        writer.bad("the connection ends in the middle of a line");
      }
      if (!more || writer.isFull() || in.available() == 0) {
        writer.flush();
      }
    }
  }

  private void read(LineBuffer lines, LineFormat reader, OpenText text, FeedWriter writer) {
    byte[] bytes = lines.bytes();
    if (quotes && text.goesOn(bytes, lines.from(), lines.to())) {
      writer.bad("a line goes on with the text that the line before has opened");
      return;
    }
    try {
      int before = writer.batch().sampleCount();
      reader.read(bytes, lines.from(), lines.to(), writer.batch());
      if (writer.batch().sampleCount() > before) {
        writer.good();
      }
    } catch (BadLineException e) {
      writer.bad(String.valueOf(e.getMessage()));
      if (quotes) {
        text.opens(bytes, lines.from(), lines.to());
      }
    }
  }
}
