package dev.varve.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.github.luben.zstd.Zstd;
import dev.varve.formats.protobuf.WireWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPOutputStream;

/**
 * A request body designed to exhaust the memory of its reader.
 *
 * @param path the endpoint that it is sent to
 * @param headers additional headers, each with its line end
 */
record Attack(String name, String path, String headers, byte[] body) {
  private static final String JSON = "Content-Type: application/json\r\n";
  private static final String PROTOBUF = "Content-Type: application/x-protobuf\r\n";
  private static final String FORM = "Content-Type: application/x-www-form-urlencoded\r\n";

  /** Longer than a label value may be, so that it never becomes a series. */
  private static final String LONG = "y".repeat(20_000);

  /** A beginning followed by endless repetitions; {@code %d} is a counter. */
  private record Endless(String name, String beginning, String again) {
    byte[] bytes(int size) {
      ByteArrayOutputStream out = new ByteArrayOutputStream(size + again.length() + 100);
      out.writeBytes(beginning.getBytes(ISO_8859_1));
      int counted = again.indexOf("%d");
      byte[] before = (counted < 0 ? again : again.substring(0, counted)).getBytes(ISO_8859_1);
      byte[] after = (counted < 0 ? "" : again.substring(counted + 2)).getBytes(ISO_8859_1);
      for (int i = 0; out.size() < size; i++) {
        out.writeBytes(before);
        if (counted >= 0) {
          out.writeBytes(Integer.toString(i).getBytes(ISO_8859_1));
        }
        out.writeBytes(after);
      }
      return out.toByteArray();
    }
  }

  private static final List<Endless> KAIROSDB =
      List.of(
          new Endless("text", "[{\"name\":\"", "x".repeat(1000)),
          new Endless("texts", "[{\"name\":\"m\",\"datapoints\":[[1,\"a\"]", ",[1,\"abcdefgh\"]"),
          new Endless("empty rows", "[{\"name\":\"" + LONG + "\",\"datapoints\":[[]", ",[]"),
          new Endless("types", "[{\"name\":\"m\",\"datapoints\":[[]", ",[1,1,\"t%d\"]"),
          new Endless("tags", "[{\"name\":\"m\",\"tags\":{\"a\":\"\"", ",\"k%d\":\"\""),
          new Endless("names", "[{\"a\":1", ",\"name of a member that nobody knows %d\":1"),
          new Endless("arrays", "", "["),
          new Endless("digits", "[{\"name\":\"m\",\"value\":1", "1".repeat(1000)),
          new Endless("errors", "[0", ",{\"name\":\"" + LONG + "\"}"),
          new Endless(
              "series",
              "[0",
              ",{\"name\":\"m\",\"timestamp\":1,\"value\":1,\"tags\":{\"%d\":\"" + LONG + "\"}}"));

  private static final List<Endless> OPENTSDB =
      List.of(
          new Endless("text", "[{\"metric\":\"", "x".repeat(1000)),
          new Endless("tags", "[{\"metric\":\"m\",\"tags\":{\"a\":\"\"", ",\"k%d\":\"\""),
          new Endless("names", "[{\"a\":1", ",\"name of a member that nobody knows %d\":1"),
          new Endless("bad points", "[null", ",{\"metric\":\"" + LONG + "\"}"),
          new Endless(
              "series",
              "[null",
              ",{\"metric\":\"m\",\"timestamp\":1,\"value\":1,\"tags\":{\"%d\":\""
                  + LONG
                  + "\"}}"));

  private static final String METRIC = "{\"resourceMetrics\":[{\"scopeMetrics\":[{\"metrics\":[";
  private static final String GAUGE = METRIC + "{\"name\":\"m\",\"gauge\":{\"dataPoints\":[";

  private static final List<Endless> OTLP =
      List.of(
          new Endless("text", METRIC + "{\"name\":\"", "x".repeat(1000)),
          new Endless("points", GAUGE + "{}", ",{\"timeUnixNano\":1,\"asDouble\":1}"),
          new Endless("waiting", METRIC + "{}", ",{\"name\":\"m%d\",\"unit\":\"u\"}"),
          new Endless(
              "attributes", GAUGE + "{\"attributes\":[{}", ",{\"key\":\"k%d\",\"value\":{}}"),
          new Endless(
              "values",
              GAUGE + "{\"attributes\":[{\"key\":\"k\",\"value\":{\"arrayValue\":{\"values\":[{}",
              ",{}"),
          new Endless("numbers", GAUGE + "{\"bucketCounts\":[1", ",1"),
          new Endless("digits", GAUGE + "{\"asDouble\":\"1", "1".repeat(1000)));

  private static final List<Endless> INFLUX =
      List.of(
          new Endless("line", "m,a=", "x".repeat(1000)),
          new Endless("tags", "m,a=b", ",k%d=v"),
          new Endless("wide", "", "m,%d=" + ",k=".repeat(333_000) + "v a=1\n"),
          new Endless("fields", "m a=1", ",k%d=1"),
          new Endless("text", "m v=\"", "x\n".repeat(1000)),
          new Endless("series", "", "m,k%d=" + LONG + " v=1 1\n"),
          new Endless("bad lines", "", "m,,,,%d\n"));

  private static final List<Endless> PROMETHEUS =
      List.of(
          new Endless("line", "m{a=\"", "x".repeat(1000)),
          new Endless("tags", "m{a=\"b\"", ",k%d=\"v\""),
          new Endless("wide", "", "m{" + "k=\"\",".repeat(190_000) + "} %d\n"),
          new Endless("series", "", "m{k%d=\"" + LONG + "\"} 1 1\n"),
          new Endless("help", "", "# HELP m%d " + "h".repeat(1000) + "\n"));

  private static final List<Endless> VARVE =
      List.of(
          new Endless("line", "{\"metric\":\"", "x".repeat(1000)),
          new Endless("tags", "{\"metric\":\"m\",\"tags\":{\"a\":\"\"", ",\"k%d\":\"\""),
          new Endless(
              "wide",
              "",
              "{\"metric\":\"%d\",\"tags\":{\"a\":\"\"" + ",\"\":\"\"".repeat(170_000) + "}}\n"),
          new Endless("names", "", "{\"%d" + LONG + "\":1}\n"));

  /**
   * Returns all attacks of a size in bytes, each plain and in the encodings that its endpoint
   * accepts.
   */
  static List<Attack> all(int size) throws IOException {
    List<Attack> all = new ArrayList<>();
    add(all, "/api/v1/datapoints", JSON, KAIROSDB, size);
    add(all, "/api/put?details", JSON, OPENTSDB, size);
    add(all, "/v1/metrics", JSON, OTLP, size);
    add(all, "/influx/write?precision=ms", "", INFLUX, size);
    add(all, "/influx/api/v2/write?precision=ms", "", INFLUX.subList(0, 2), size);
    add(all, "/api/v1/import/prometheus", "", PROMETHEUS, size);
    add(all, "/metrics/job/attack", "", PROMETHEUS.subList(0, 2), size);
    add(all, "/varve/v1/points", "", VARVE, size);
    byte[] protobuf = otlp(size);
    all.add(coded("OTLP, zstd", "/v1/metrics", PROTOBUF, "zstd", Zstd.compress(protobuf, 1)));
    all.add(coded("OTLP, gzip", "/v1/metrics", PROTOBUF, "gzip", gzip(protobuf)));
    all.add(coded("series", "/api/v1/write", PROTOBUF, "snappy", snappy(series(), size)));
    all.add(coded("zeros", "/api/v1/write", PROTOBUF, "snappy", snappy(new byte[64], size)));
    all.add(coded("matchers", "/api/v1/read", PROTOBUF, "snappy", snappy(query(), 1 << 20)));
    String tree = "{\"metrics\":[" + "{\"a\":[1]},".repeat(90_000);
    all.add(new Attack("tree", "/api/v1/datapoints/query", JSON, tree.getBytes(ISO_8859_1)));
    String sum = "query=" + "1%2B".repeat(250_000) + "1";
    all.add(new Attack("sum", "/api/v1/query", FORM, sum.getBytes(ISO_8859_1)));
    String pairs = "a=&".repeat(340_000);
    all.add(new Attack("pairs", "/api/v1/series", FORM, pairs.getBytes(ISO_8859_1)));
    return all;
  }

  private static void add(
      List<Attack> to, String path, String headers, List<Endless> contents, int size)
      throws IOException {
    for (Endless content : contents) {
      byte[] bytes = content.bytes(size);
      to.add(coded(content.name + ", zstd", path, headers, "zstd", Zstd.compress(bytes, 1)));
      to.add(coded(content.name + ", gzip", path, headers, "gzip", gzip(bytes)));
      byte[] plain = content.bytes(Math.min(size, 4 << 20));
      to.add(new Attack(content.name, path, headers, plain));
    }
  }

  private static Attack coded(
      String name, String path, String headers, String coding, byte[] body) {
    return new Attack(name, path, headers + "Content-Encoding: " + coding + "\r\n", body);
  }

  private static byte[] gzip(byte[] bytes) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
      gzip.write(bytes);
    }
    return out.toByteArray();
  }

  /** Returns a request with one resource of a size in bytes. */
  private static byte[] otlp(int size) {
    WireWriter points = new WireWriter();
    WireWriter point = new WireWriter().real(3, 1).real(4, 1);
    while (points.size() < size) {
      points.message(1, point);
    }
    WireWriter metric = new WireWriter().text(1, "m").message(5, points);
    WireWriter scope = new WireWriter().message(2, metric);
    WireWriter resource = new WireWriter().message(2, scope);
    return new WireWriter().message(1, resource).toBytes();
  }

  private static byte[] series() {
    WireWriter label = new WireWriter().text(1, "a").text(2, LONG);
    WireWriter sample = new WireWriter().real(1, 1).varint(2, 1);
    return new WireWriter()
        .message(1, new WireWriter().message(1, label).message(2, sample))
        .toBytes();
  }

  private static byte[] query() {
    WireWriter matcher = new WireWriter().text(2, "a");
    WireWriter query = new WireWriter();
    for (int i = 0; i < 100; i++) {
      query.message(3, matcher);
    }
    return new WireWriter().message(1, query).toBytes();
  }

  /** Returns a snappy block that repeats a part of less than 64 KiB. */
  private static byte[] snappy(byte[] part, int size) {
    int times = Math.max(1, size / part.length);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (long rest = (long) times * part.length; ; rest >>>= 7) {
      out.write((int) (rest < 0x80 ? rest : (rest & 0x7f) | 0x80));
      if (rest < 0x80) {
        break;
      }
    }
    // A literal whose length takes two bytes.
    out.write(61 << 2);
    out.write(part.length - 1);
    out.write((part.length - 1) >> 8);
    out.writeBytes(part);
    for (long left = (long) (times - 1) * part.length; left > 0; left -= Math.min(64, left)) {
      // A copy of up to 64 bytes, at the offset of one part.
      out.write(((int) (Math.min(64, left) - 1) << 2) | 2);
      out.write(part.length);
      out.write(part.length >> 8);
    }
    return out.toByteArray();
  }
}
