package dev.varve.server.prometheus;

import dev.varve.formats.protobuf.MalformedMessageException;
import dev.varve.formats.protobuf.WireReader;
import dev.varve.formats.protobuf.WireWriter;
import dev.varve.model.Kind;
import dev.varve.model.Samples;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.zip.CRC32C;

/**
 * The messages of a client of Prometheus' <a
 * href="https://prometheus.io/docs/prometheus/3.5/querying/remote_read_api/">remote read</a>, which
 * asks for one series as a stream of chunks.
 */
public final class RemoteReadClient {
  private static final int EQUAL = 0;
  private static final int STREAMED_XOR_CHUNKS = 1;
  private static final int XOR = 1;

  /** Servers send frames of about 1 MiB. */
  private static final int FRAME_MAX = 64 << 20;

  /** Receives the samples of chunks. */
  public interface Receiver {
    /** Receives samples in the order of time, in ms since 1970. They belong to the receiver. */
    void accept(Samples samples) throws IOException;
  }

  private RemoteReadClient() {}

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
   * @throws IOException if it is not a stream of chunks or ends too early
   */
  public static long read(InputStream answer, Receiver to) throws IOException {
    long histograms = 0;
    int length;
    while ((length = length(answer)) >= 0) {
      byte[] head = exactly(answer, 4);
      byte[] frame = exactly(answer, length);
      CRC32C crc = new CRC32C();
      crc.update(frame);
      long sum = 0;
      for (byte one : head) {
        sum = sum << 8 | (one & 0xff);
      }
      if (crc.getValue() != sum) {
        throw new IOException("a frame has another checksum than its bytes");
      }
      try {
        histograms += frame(new WireReader(frame), to);
      } catch (MalformedMessageException e) {
        throw new IOException("a frame is no ChunkedReadResponse: " + e.getMessage(), e);
      }
    }
    return histograms;
  }

  /** Returns the length of the next frame; -1 at the end. */
  private static int length(InputStream in) throws IOException {
    long length = 0;
    for (int shift = 0; shift < 35; shift += 7) {
      int next = in.read();
      if (next < 0) {
        if (shift == 0) {
          return -1;
        }
        throw new EOFException("the answer ends within the length of a frame");
      }
      length |= (long) (next & 0x7f) << shift;
      if (next < 0x80) {
        break;
      }
    }
    if (length > FRAME_MAX) {
      throw new IOException("the answer is no stream of chunks");
    }
    return (int) length;
  }

  private static byte[] exactly(InputStream in, int length) throws IOException {
    byte[] bytes = in.readNBytes(length);
    if (bytes.length < length) {
      throw new EOFException("the answer ends within a frame");
    }
    return bytes;
  }

  private static long frame(WireReader frame, Receiver to) throws IOException {
    long histograms = 0;
    while (frame.next()) {
      if (frame.field() == 1) {
        WireReader series = frame.message();
        while (series.next()) {
          if (series.field() == 2) {
            histograms += chunk(series.message(), to);
          } else {
            series.skip();
          }
        }
      } else {
        frame.skip();
      }
    }
    return histograms;
  }

  /** Reads a chunk; returns 1 if it is of histograms. */
  private static long chunk(WireReader chunk, Receiver to) throws IOException {
    long type = 0;
    byte[] data = {};
    while (chunk.next()) {
      switch (chunk.field()) {
        case 3 -> type = chunk.varint();
        case 4 -> data = chunk.bytes();
        default -> chunk.skip();
      }
    }
    if (type != XOR) {
      return 1;
    }
    Samples samples = new Samples(Kind.DOUBLE);
    new XorChunkReader(data).read(samples);
    to.accept(samples);
    return 0;
  }
}
