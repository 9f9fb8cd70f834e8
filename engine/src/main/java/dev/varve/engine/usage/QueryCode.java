package dev.varve.engine.usage;

import dev.varve.engine.home.SelectorCode;
import dev.varve.model.Bytes;
import dev.varve.model.TimeRange;
import dev.varve.store.LaterFormatException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/**
 * Logged queries in bytes.
 *
 * <pre>
 * version u8  1
 * language, aggregation, metric, labels   text: length u16, modified UTF-8
 * step, span i64; recent u8; newest i32
 * count, series, samples, requests, rows, cells, bytes, nanos i64
 * since, last, reach, from, to i64
 * selector                                takes the rest, in the form of deletes
 * </pre>
 */
final class QueryCode {
  private static final int VERSION = 1;

  private QueryCode() {}

  static Bytes encode(LoggedQuery query) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      QueryShape shape = query.shape();
      out.writeByte(VERSION);
      out.writeUTF(shape.kind().language());
      out.writeUTF(shape.kind().aggregation());
      out.writeUTF(shape.metric());
      out.writeUTF(shape.labels());
      out.writeLong(shape.kind().stepMillis());
      out.writeLong(shape.spanMillis());
      out.writeBoolean(shape.recent());
      out.writeInt(shape.newest());
      QueryCosts costs = query.costs();
      for (long sum :
          new long[] {
            costs.count(),
            costs.series(),
            costs.samples(),
            costs.requests(),
            costs.rows(),
            costs.cells(),
            costs.bytes(),
            costs.nanos(),
            query.since(),
            query.last(),
            query.reachMillis(),
            query.times().from(),
            query.times().to()
          }) {
        out.writeLong(sum);
      }
      out.write(SelectorCode.encode(query.example()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return Bytes.of(bytes.toByteArray());
  }

  /**
   * Decodes a query.
   *
   * @throws IllegalArgumentException if the bytes are not one
   * @throws LaterFormatException if a later version wrote them
   */
  static LoggedQuery decode(Bytes bytes) {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes.toArray()))) {
      int version = in.readUnsignedByte();
      if (version > VERSION) {
        throw new LaterFormatException("a logged query", version, VERSION);
      }
      if (version != VERSION) {
        throw new IllegalArgumentException("version " + version + " is unknown");
      }
      String language = in.readUTF();
      String aggregation = in.readUTF();
      String metric = in.readUTF();
      String labels = in.readUTF();
      QueryKind kind = new QueryKind(language, aggregation, in.readLong());
      QueryShape shape =
          new QueryShape(kind, metric, labels, in.readLong(), in.readBoolean(), in.readInt());
      QueryCosts costs =
          new QueryCosts(
              in.readLong(),
              in.readLong(),
              in.readLong(),
              in.readLong(),
              in.readLong(),
              in.readLong(),
              in.readLong(),
              in.readLong());
      long since = in.readLong();
      long last = in.readLong();
      long reach = in.readLong();
      TimeRange times = new TimeRange(in.readLong(), in.readLong());
      return new LoggedQuery(
          shape,
          costs,
          SelectorCode.decode(ByteBuffer.wrap(in.readAllBytes())),
          times,
          since,
          last,
          reach);
    } catch (IOException | BufferUnderflowException e) {
      throw new IllegalArgumentException("it ends early", e);
    }
  }
}
