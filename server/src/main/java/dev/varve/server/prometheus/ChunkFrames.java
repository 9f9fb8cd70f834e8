package dev.varve.server.prometheus;

import dev.varve.formats.protobuf.WireWriter;
import dev.varve.query.promql.eval.Labels;
import java.io.ByteArrayOutputStream;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

/**
 * Encodes series as frames of a stream of chunks, the streamed answer of remote read. Not
 * thread-safe.
 */
final class ChunkFrames {
  /*
   * Frame := length uvarint, crc32c u32be of the message, message
   *   ChunkedReadResponse { repeated ChunkedSeries chunked_series = 1; int64 query_index = 2; }
   *   ChunkedSeries { repeated Label labels = 1; repeated Chunk chunks = 2; }
   *   Chunk { int64 min_time_ms = 1; int64 max_time_ms = 2; Encoding type = 3; bytes data = 4; }
   * A frame holds one series or a part of a long series.
   */
  private static final int XOR = 1;

  /** Target size of a frame in bytes, as in Prometheus, whose readers accept up to 50 MiB. */
  private static final int FRAME_MAX = 1 << 20;

  private final int query;
  private final XorChunk chunk = new XorChunk();

  /**
   * @param query index of the answered query within the request, from 0
   */
  ChunkFrames(int query) {
    this.query = query;
  }

  /** Passes the frames of a series to a consumer. */
  void write(Labels labels, long[] times, double[] values, int size, Consumer<byte[]> frame) {
    WireWriter head = new WireWriter();
    RemoteRead.labels(labels, head);
    WireWriter series = new WireWriter();
    for (int from = 0; from < size; from += XorChunk.SAMPLES_MAX) {
      int to = Math.min(size, from + XorChunk.SAMPLES_MAX);
      chunk(times, values, from, to, series);
      if (head.size() + series.size() >= FRAME_MAX && to < size) {
        frame.accept(frame(head, series));
        series = new WireWriter();
      }
    }
    frame.accept(frame(head, series));
  }

  private void chunk(long[] times, double[] values, int from, int to, WireWriter series) {
    chunk.clear();
    for (int i = from; i < to; i++) {
      chunk.add(times[i], values[i]);
    }
    series.message(
        2,
        new WireWriter()
            .varint(1, chunk.firstTime())
            .varint(2, chunk.lastTime())
            .varint(3, XOR)
            .bytes(4, chunk.toBytes()));
  }

  private byte[] frame(WireWriter head, WireWriter chunks) {
    WireWriter message = new WireWriter();
    message.head(1, head.size() + chunks.size()).append(head).append(chunks);
    if (query > 0) {
      message.varint(2, query);
    }
    byte[] bytes = message.toBytes();
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, bytes.length);
    ByteArrayOutputStream frame = new ByteArrayOutputStream(bytes.length + 9);
    int rest = bytes.length;
    while (rest > 0x7f) {
      frame.write((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    frame.write(rest);
    for (int shift = 24; shift >= 0; shift -= 8) {
      frame.write((int) (crc.getValue() >>> shift));
    }
    frame.writeBytes(bytes);
    return frame.toByteArray();
  }
}
