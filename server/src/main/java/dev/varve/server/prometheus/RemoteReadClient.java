package dev.varve.server.prometheus;

import dev.varve.formats.protobuf.MalformedMessageException;
import dev.varve.formats.protobuf.WireReader;
import dev.varve.formats.protobuf.WireWriter;
import dev.varve.model.Kind;
import dev.varve.model.Samples;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a client of Prometheus' <a
 * href="https://prometheus.io/docs/prometheus/3.5/querying/remote_read_api/">remote read</a>, which
 * asks for one series as a stream of chunks.
 */
public final class RemoteReadClient {
  private static final int EQUAL = 0;
  private static final int STREAMED_XOR_CHUNKS = 1;

  /*
   * The bytes that are read here, as Prometheus' remote.proto and types.proto define them:
   *
   * Frame := length uvarint, crc32c u32be of the message, message
   *   ChunkedReadResponse { repeated ChunkedSeries chunked_series = 1; int64 query_index = 2; }
   *   ChunkedSeries { repeated Label labels = 1; repeated Chunk chunks = 2; }
   *   Label { string name = 1; string value = 2; }
   *   Chunk { int64 min_time_ms = 1; int64 max_time_ms = 2; Encoding type = 3; bytes data = 4; }
   */
  private static final int XOR = 1;
  private static final int HISTOGRAM = 2;
  private static final int FLOAT_HISTOGRAM = 3;

  /** Servers send frames of about 1 MiB. */
  private static final int FRAME_MAX = 64 << 20;

  /** The length of a frame is a number of up to 32 bits, with 7 of them in each byte. */
  private static final int LENGTH_BYTES_MAX = 5;

  /** Receives the samples of chunks. */
  public interface Receiver {
    /** Receives samples in the order of time, in ms since 1970. They belong to the receiver. */
    void accept(Samples samples) throws IOException;
  }

  private final InputStream answer;
  private final Receiver receiver;
  private long frames;
  private long histograms;

  /** The labels of the series; null before the first frame. */
  private @Nullable Map<String, String> seriesLabels;

  private RemoteReadClient(InputStream answer, Receiver receiver) {
    this.answer = answer;
    this.receiver = receiver;
  }

  /**
   * Returns the body of a request.
   *
   * @param labels the labels of the series; an empty value stands for a label that it lacks
   * @param from first time, in ms since 1970
   * @param to last time, inclusive
   */
  public static byte[] request(Map<String, String> labels, long from, long to) {
    WireWriter query = new WireWriter().varint(1, from).varint(2, to);
    labels.forEach((name, value) ->
        query.message(3, new WireWriter().varint(1, EQUAL).text(2, name).text(3, value)));
    byte[] request = new WireWriter().message(1, query).varint(2, STREAMED_XOR_CHUNKS).toBytes();
    return SnappyBlock.pack(request, () -> {});
  }

  /**
   * Reads the answer, which holds one series or nothing.
   *
   * @return the number of chunks of native histograms, which are left out
   * @throws IOException if it is not a stream of chunks, ends too early, or holds several series
   */
  public static long read(InputStream answer, Receiver to) throws IOException {
    return new RemoteReadClient(answer, to).read();
  }

  private long read() throws IOException {
    int length;
    while ((length = frameLength()) >= 0) {
      frames++;
      int expected = ByteBuffer.wrap(exactly(Integer.BYTES)).getInt();
      byte[] frame = exactly(length);
      CRC32C crc = new CRC32C();
      crc.update(frame);
      if ((int) crc.getValue() != expected) {
        throw new IOException(
            "frame %,d: CRC32C is %08x, expected %08x".formatted(frames, crc.getValue(), expected));
      }
      try {
        readFrame(new WireReader(frame));
      } catch (MalformedMessageException e) {
        throw new IOException(
            "frame %,d is no ChunkedReadResponse: %s".formatted(frames, e.getMessage()), e);
      }
    }
    return histograms;
  }

  /** Returns the length of the next frame; -1 at the end. */
  private int frameLength() throws IOException {
    long length = 0;
    for (int i = 0; i < LENGTH_BYTES_MAX; i++) {
      int next = answer.read();
      if (next < 0) {
        if (i == 0) {
          return -1;
        }
        throw new EOFException("the answer ends within the length of a frame");
      }
      length |= (long) (next & 0x7f) << (7 * i);
      if (next < 0x80) {
        if (length > FRAME_MAX) {
          throw new IOException(
              "a frame of %,d bytes, at most %,d expected: not a stream of chunks"
                  .formatted(length, FRAME_MAX));
        }
        return (int) length;
      }
    }
    throw new IOException(
        "the length of a frame takes more than %d bytes: not a stream of chunks"
            .formatted(LENGTH_BYTES_MAX));
  }

  private byte[] exactly(int length) throws IOException {
    byte[] bytes = answer.readNBytes(length);
    if (bytes.length < length) {
      throw new EOFException("the answer ends within a frame");
    }
    return bytes;
  }

  private void readFrame(WireReader frame) throws IOException {
    while (frame.next()) {
      if (frame.field() == 1) {
        readSeries(frame.message());
      } else {
        frame.skip();
      }
    }
  }

  /** Reads a series, or the next part of one that takes several frames. */
  private void readSeries(WireReader series) throws IOException {
    requireSameSeries(labels(series.again()));
    while (series.next()) {
      if (series.field() == 2) {
        readChunk(series.message());
      } else {
        series.skip();
      }
    }
  }

  /** Samples of several series would be taken for those of one. */
  private void requireSameSeries(Map<String, String> labels) throws IOException {
    if (seriesLabels == null) {
      seriesLabels = labels;
    } else if (!labels.equals(seriesLabels)) {
      throw new IOException(
          "the answer holds several series, one expected: %s and %s"
              .formatted(seriesLabels, labels));
    }
  }

  private static Map<String, String> labels(WireReader series) {
    Map<String, String> labels = new TreeMap<>();
    while (series.next()) {
      if (series.field() != 1) {
        series.skip();
        continue;
      }
      WireReader label = series.message();
      String name = "";
      String value = "";
      while (label.next()) {
        switch (label.field()) {
          case 1 -> name = label.text();
          case 2 -> value = label.text();
          default -> label.skip();
        }
      }
      labels.put(name, value);
    }
    return labels;
  }

  private void readChunk(WireReader chunk) throws IOException {
    long encoding = 0;
    byte[] data = {};
    while (chunk.next()) {
      switch (chunk.field()) {
        case 3 -> encoding = chunk.varint();
        case 4 -> data = chunk.bytes();
        default -> chunk.skip();
      }
    }
    if (encoding == HISTOGRAM || encoding == FLOAT_HISTOGRAM) {
      histograms++;
      return;
    }
    if (encoding != XOR) {
      throw new IOException(
          "frame %,d has a chunk of encoding %d, expected %d (XOR), %d or %d (histograms)"
              .formatted(frames, encoding, XOR, HISTOGRAM, FLOAT_HISTOGRAM));
    }
    Samples samples = new Samples(Kind.DOUBLE);
    new XorChunkReader(data).read(samples);
    receiver.accept(samples);
  }
}
