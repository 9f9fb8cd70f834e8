package dev.varve.server.graphite;

import dev.varve.engine.Dataset;
import dev.varve.formats.text.BadLineException;
import dev.varve.formats.text.GraphiteLines;
import dev.varve.server.feed.FeedProtocol;
import dev.varve.server.feed.FeedWriter;
import dev.varve.server.http.HeldBytes;
import dev.varve.server.http.OverBudgetException;
import dev.varve.server.http.WriteBudget.Reservation;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Function;

/**
 * Graphite's pickle protocol: frames of a length and a pickle of {@code [(path, (time, value)),
 * ...]}, without answers.
 */
public final class PickleFeed implements FeedProtocol.Reader {
  /*
   * Frame :=
   *   length  u32be   // bytes that follow, 1 to FRAME_MAX
   *   pickle          // a list of (path, (time, value))
   */

  /** Maximum size of a frame in bytes, as in carbon. */
  static final int FRAME_MAX = 1 << 20;

  private final Function<Dataset, GraphiteLines> format;

  /**
   * @param format what paths and times mean, for one connection
   */
  public PickleFeed(Function<Dataset, GraphiteLines> format) {
    this.format = format;
  }

  @Override
  public void read(Dataset dataset, InputStream in, FeedWriter writer, Reservation memory)
      throws IOException {
    GraphiteLines paths = format.apply(dataset);
    try {
      byte[] head = in.readNBytes(Integer.BYTES);
      while (head.length == Integer.BYTES) {
        int length = ByteBuffer.wrap(head).getInt();
        if (length < 1 || length > FRAME_MAX) {
          writer.bad(
              "a frame of %,d bytes, %,d are the most; is it the plaintext protocol?"
                  .formatted(Integer.toUnsignedLong(length), FRAME_MAX));
          return;
        }
        read(in, length, paths, writer, memory);
        if (writer.isFull() || in.available() == 0) {
          writer.flush();
        }
        head = in.readNBytes(Integer.BYTES);
      }
      if (head.length > 0) {
        throw new EOFException();
      }
    } catch (EOFException e) {
      writer.bad("the connection ends in the middle of a frame");
    } finally {
      writer.flush();
    }
  }

  /** Reads a frame. Its bytes and values are reserved as long as they are needed. */
  private static void read(
      InputStream in, int length, GraphiteLines paths, FeedWriter writer, Reservation memory)
      throws IOException {
    try (Reservation ofFrame = memory.another()) {
      byte[] frame = HeldBytes.read(in, length, ofFrame);
      if (!(Pickle.read(frame, ofFrame::hold) instanceof List<?> samples)) {
        throw new PickleException("the pickle is no list of samples");
      }
      for (Object sample : samples) {
        writer.read(() -> add(sample, paths, writer));
      }
    } catch (OverBudgetException e) {
      writer.lost("a frame of %,d bytes: %s".formatted(length, e.getMessage()));
    } catch (PickleException e) {
      writer.bad(String.valueOf(e.getMessage()));
    }
  }

  private static void add(Object sample, GraphiteLines paths, FeedWriter writer) {
    if (!(sample instanceof List<?> pair
        && pair.size() == 2
        && pair.get(0) instanceof String path
        && pair.get(1) instanceof List<?> point
        && point.size() == 2)) {
      writer.bad("a sample that is not (path, (time, value))");
      return;
    }
    Double seconds = Pickle.number(point.get(0));
    Double value = Pickle.number(point.get(1));
    if (seconds == null || value == null) {
      writer.bad("a sample of which time or value is no number");
      return;
    }
    try {
      paths.add(path.getBytes(StandardCharsets.UTF_8), seconds, value, writer.batch());
      writer.good();
    } catch (BadLineException e) {
      writer.bad(String.valueOf(e.getMessage()));
    }
  }
}
