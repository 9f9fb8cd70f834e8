package dev.varve.layout.kairosdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyBytes;
import dev.varve.model.Bytes;
import dev.varve.model.Tags;
import dev.varve.store.TypedColumn;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TupleTest {
  private static final List<TypedColumn> COLUMNS =
      List.of(
          new TypedColumn("a", TypedColumn.Type.TEXT),
          new TypedColumn("b", TypedColumn.Type.INT),
          new TypedColumn("c", TypedColumn.Type.TIMESTAMP),
          new TypedColumn("d", TypedColumn.Type.MAP),
          new TypedColumn("e", TypedColumn.Type.TEXT));

  record Row(String a, int b, long c, Tags d, String e) {
    Bytes encode() {
      KeyBytes out = new KeyBytes();
      Tuple.text(a, out);
      Tuple.int32(b, out);
      Tuple.timestamp(c, out);
      Tuple.map(d, out);
      Tuple.text(e, out);
      return out.toBytes();
    }
  }

  @Property
  void comesBack(@ForAll("rows") Row row) {
    List<Tuple.Value> values = Tuple.read("row key", row.encode(), COLUMNS);
    assertThat(values.stream().map(Tuple.Value::value))
        .containsExactly(row.a, row.b, row.c, row.d, row.e);
    assertThat(values.getFirst().from()).isZero();
    for (int i = 1; i < values.size(); i++) {
      assertThat(values.get(i).from()).isEqualTo(values.get(i - 1).to());
    }
    assertThat(values.getLast().to()).isEqualTo(row.encode().length());
  }

  @Property
  void isOrderedAsCassandraOrdersTheColumns(@ForAll("rows") Row a, @ForAll("rows") Row b) {
    assertThat(Integer.signum(a.encode().compareTo(b.encode())))
        .isEqualTo(Integer.signum(compare(a, b)));
  }

  private static int compare(Row a, Row b) {
    int order = Bytes.utf8(a.a).compareTo(Bytes.utf8(b.a));
    order = order != 0 ? order : Integer.compare(a.b, b.b);
    order = order != 0 ? order : Long.compare(a.c, b.c);
    order = order != 0 ? order : compareMaps(a.d, b.d);
    return order != 0 ? order : Bytes.utf8(a.e).compareTo(Bytes.utf8(b.e));
  }

  /** Compares as Cassandra's MapType.compareMaps. */
  private static int compareMaps(Tags a, Tags b) {
    Iterator<Map.Entry<Bytes, String>> left = byUtf8(a).entrySet().iterator();
    Iterator<Map.Entry<Bytes, String>> right = byUtf8(b).entrySet().iterator();
    while (left.hasNext() && right.hasNext()) {
      Map.Entry<Bytes, String> x = left.next();
      Map.Entry<Bytes, String> y = right.next();
      int order = x.getKey().compareTo(y.getKey());
      order = order != 0 ? order : Bytes.utf8(x.getValue()).compareTo(Bytes.utf8(y.getValue()));
      if (order != 0) {
        return order;
      }
    }
    return Boolean.compare(left.hasNext(), right.hasNext());
  }

  private static Map<Bytes, String> byUtf8(Tags tags) {
    Map<Bytes, String> sorted = new TreeMap<>();
    tags.forEach((name, value) -> sorted.put(Bytes.utf8(name), value));
    return sorted;
  }

  @Provide
  static Arbitrary<Row> rows() {
    // Few values, so that rows often share leading columns, and values at which sort orders differ.
    Arbitrary<String> texts =
        Arbitraries.of("", "a", "a\0", "a\0b", "a\1", "b", "\0", "\ud83d\ude00", "\uffee");
    Arbitrary<Integer> ints = Arbitraries.of(0, -1, 1, Integer.MIN_VALUE, Integer.MAX_VALUE);
    Arbitrary<Long> times = Arbitraries.of(0L, -1L, 1L, Long.MIN_VALUE, Long.MAX_VALUE);
    Arbitrary<Tags> maps = Arbitraries.maps(texts, texts).ofMaxSize(2).map(Tags::of);
    return Combinators.combine(texts, ints, times, maps, texts).as(Row::new);
  }

  @Test
  void isWhatThePageDraws() {
    assertThat(new Row("a\0b", -1, 1, Tags.of("k", "v"), "").encode().hex())
        .isEqualTo(
            "6100ff620001" + "7fffffff" + "8000000000000001" + "016b0001760001" + "00" + "0001");
    assertThat(Tuple.read("row key", new Row("", 0, 0, Tags.EMPTY, "").encode(), COLUMNS))
        .hasSize(5);
  }

  @Test
  void keepsMapsInTheOrderOfUtf8() {
    KeyBytes out = new KeyBytes();
    Tuple.map(Tags.of("\ud83d\ude00", "1", "\uffee", "2"), out);
    assertThat(out.toBytes().hex()).isEqualTo("01efbfae0001320001" + "01f09f98800001310001" + "00");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ''                            | qualifier: column t, byte 0: unexpected end of the bytes
          61                            | qualifier: column t, byte 1: unexpected end of the bytes
          6100                          | qualifier: column t, byte 2: unexpected end of the bytes
          610002                        | qualifier: column t, byte 2: 00 02 is neither an end nor a zero
          c30001                        | qualifier: column t, byte 0: the text is not UTF-8
          0001                          | qualifier: column m, byte 2: unexpected end of the bytes
          0001 02                       | qualifier: column m, byte 2: 02 is neither an entry nor the end
          0001 01620001 0001 01610001 0001 00 | qualifier: column m, byte 9: key 'a' is out of order after 'b'
          0001 01610001 0001 01610001 0001 00 | qualifier: column m, byte 9: key 'a' is out of order after 'a'
          0001 00 00                    | qualifier: 1 extra bytes after column m
          """)
  void isRefusedWhereItIsDamaged(String hex, String reason) {
    List<TypedColumn> columns =
        List.of(
            new TypedColumn("t", TypedColumn.Type.TEXT),
            new TypedColumn("m", TypedColumn.Type.MAP));
    assertThatThrownBy(() -> Tuple.read("qualifier", Bytes.fromHex(hex.replace(" ", "")), columns))
        .isInstanceOf(DamagedCellException.class)
        .hasMessage(reason);
  }
}
