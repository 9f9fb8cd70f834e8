package dev.varve.bench.compare;

import dev.varve.formats.protobuf.WireWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.xerial.snappy.Snappy;

/** Writes rows into the body of a request. */
sealed interface BodyFormat {
  /** Returns the maximum number of rows of a body. */
  int rows();

  void add(ByteText body, int entity, long time, double[] values);

  /** Returns the body as it is sent. */
  ByteText finish(ByteText body) throws IOException;

  static BodyFormat of(Protocol protocol, List<Entity> entities) {
    return switch (protocol) {
      case REMOTE_WRITE -> new RemoteWriteBodies(entities);
      case LINE -> new LineBodies(entities);
    };
  }

  /** Bodies of 10,000 samples. */
  final class RemoteWriteBodies implements BodyFormat {
    static final int SAMPLES = 10_000;

    private final byte[][][] labels;
    private final int rows;
    private final ByteText compressed = new ByteText();

    RemoteWriteBodies(List<Entity> entities) {
      this.labels =
          entities.stream()
              .map(entity ->
                  entity.fields().stream()
                      .map(field -> labels(entity, field))
                      .toArray(byte[][]::new))
              .toArray(byte[][][]::new);
      this.rows = SAMPLES / entities.getFirst().fields().size();
    }

    private static byte[] labels(Entity entity, String field) {
      WireWriter all = new WireWriter();
      TreeMap<String, String> sorted = new TreeMap<>(entity.tags());
      sorted.put("__name__", entity.metric(field));
      sorted.forEach(
          (name, value) -> all.message(1, new WireWriter().text(1, name).text(2, value)));
      return all.toBytes();
    }

    @Override
    public int rows() {
      return rows;
    }

    @Override
    public void add(ByteText body, int entity, long time, double[] values) {
      int sample = 1 + 8 + 1 + WireWriter.varintSize(time);
      for (int field = 0; field < values.length; field++) {
        byte[] series = labels[entity][field];
        body.add(1 << 3 | 2).addVarint(series.length + 2 + sample).add(series);
        body.add(2 << 3 | 2).add(sample);
        body.add(1 << 3 | 1).addDouble(values[field]);
        body.add(2 << 3).addVarint(time);
      }
    }

    @Override
    public ByteText finish(ByteText body) throws IOException {
      compressed.clear();
      byte[] out = Snappy.compress(Arrays.copyOf(body.bytes(), body.length()));
      return compressed.add(out);
    }
  }

  /** Bodies of 1,000 lines; a server that prefers more gets several together. */
  final class LineBodies implements BodyFormat {
    static final int ROWS = 1_000;

    private final byte[][] heads;
    private final byte[][] fields;
    private final boolean whole;

    LineBodies(List<Entity> entities) {
      this.heads =
          entities.stream()
              .map(LineBodies::head)
              .map(head -> head.getBytes(StandardCharsets.ISO_8859_1))
              .toArray(byte[][]::new);
      this.fields =
          entities.getFirst().fields().stream()
              .map(field -> (field + "=").getBytes(StandardCharsets.ISO_8859_1))
              .toArray(byte[][]::new);
      this.whole = entities.getFirst().whole();
    }

    private static String head(Entity entity) {
      return entity.measurement()
          + entity.tags().entrySet().stream()
              .map(tag -> "," + tag.getKey() + "=" + tag.getValue())
              .collect(Collectors.joining());
    }

    @Override
    public int rows() {
      return ROWS;
    }

    @Override
    public void add(ByteText body, int entity, long time, double[] values) {
      body.add(heads[entity]).add(' ');
      for (int field = 0; field < values.length; field++) {
        if (field > 0) {
          body.add(',');
        }
        body.add(fields[field]);
        if (whole) {
          body.add(Long.toString((long) values[field])).add('i');
        } else {
          body.add(number(values[field]));
        }
      }
      body.add(' ').add(Long.toString(time)).add("000000\n");
    }

    private static String number(double value) {
      long integer = (long) value;
      return integer == value ? Long.toString(integer) : Double.toString(value);
    }

    @Override
    public ByteText finish(ByteText body) {
      return body;
    }
  }
}
