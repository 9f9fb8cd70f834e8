package dev.varve.layout.kairosdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyBytes;
import dev.varve.layout.KeyInput;
import dev.varve.layout.KeyOutput;
import dev.varve.layout.RowShape;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.Tags;
import dev.varve.store.Cell;
import java.util.HexFormat;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RowKeyTest {
  private static final long WEEKS = 1_814_400_000L;

  private final KairosDbLayout layout = KairosDbLayout.of(Map.of());
  private final KairosDbLayout legacy = KairosDbLayout.of(Map.of("unit", "legacy"));

  @Test
  void isTheRowKeyOfTheOriginal() {
    for (String[] fact : Facts.of("original-classes.tsv", "row")) {
      GroupKey key = GroupKey.of(Facts.text(fact[0]), Facts.tags(fact[3]));
      Bytes row = Bytes.fromHex(fact[4]);
      KeyOutput read = new KeyOutput();
      legacy.rows().decode(row.toArray(), 0, row.length(), read);
      assertThat(read.key()).isEqualTo(key);
      assertThat(read.time()).isEqualTo(Long.parseLong(fact[1]));

      DataType type = DataType.ofName(fact[2]);
      assertThat(type).isNotNull();
      assertThat(read.kind()).isEqualTo(type.kind());
      if (type.kind() != null) {
        assertThat(row(layout, key, timeIn(read.time()), type.kind())).isEqualTo(row);
      }
    }
  }

  /** Returns a time whose row has this row time. */
  private static long timeIn(long rowTime) {
    if (rowTime >= 0) {
      return rowTime;
    }
    long rest = -rowTime % WEEKS;
    return rowTime + rest / 2;
  }

  @Property(tries = 300)
  void comesBack(@ForAll("keys") GroupKey key, @ForAll long time, @ForAll Kind kind) {
    Bytes row = row(layout, key, time, kind);
    KeyOutput read = new KeyOutput();
    layout.rows().decode(row.toArray(), 0, row.length(), read);
    assertThat(read.key()).isEqualTo(key);
    assertThat(read.kind()).isEqualTo(kind);
  }

  @Property(tries = 300)
  void hasOneSignatureForEachKey(
      @ForAll("keys") GroupKey a, @ForAll("keys") GroupKey b, @ForAll Kind kind) {
    RowShape rows = layout.rows();
    Bytes row = row(layout, a, WEEKS, kind);
    KeyBytes signature = new KeyBytes();
    rows.signature(row.toArray(), 0, row.length(), signature);
    assertThat(signature.toBytes()).isEqualTo(rows.signature(Cells.bind(layout, a)));
    assertThat(rows.signature(Cells.bind(layout, a)).equals(rows.signature(Cells.bind(layout, b))))
        .isEqualTo(a.equals(b));
  }

  @Property(tries = 500)
  void isReadInOneWayAtMost(@ForAll("damaged") Bytes row) {
    KeyOutput read = new KeyOutput();
    try {
      legacy.rows().decode(row.toArray(), 0, row.length(), read);
    } catch (DamagedCellException e) {
      return;
    }
    Kind kind = read.kind();
    KeyBytes again =
        new KeyBytes()
            .utf8(read.key().metric())
            .u8(0)
            .i64(read.time())
            .raw(kind == null ? new byte[0] : DataType.of(kind).inKey())
            .raw(TagString.of(read.key().tags()));
    assertThat(again.toBytes()).isEqualTo(row);
  }

  @Provide
  static Arbitrary<GroupKey> keys() {
    Arbitrary<String> text =
        Arbitraries.strings()
            .withChars(":= a\u00e9\u20ac\ue000\uffee")
            .withCharRange('a', 'c')
            .ofMinLength(1)
            .ofMaxLength(4);
    Arbitrary<String> texts = Arbitraries.oneOf(text, text.map(t -> t + "\ud83d\ude00"));
    Arbitrary<Tags> tags = Arbitraries.maps(texts, texts).ofMinSize(0).ofMaxSize(4).map(Tags::of);
    return texts.flatMap(metric -> tags.map(t -> GroupKey.of(metric, t)));
  }

  /** Row keys with one byte changed, inserted or removed. */
  @Provide
  Arbitrary<Bytes> damaged() {
    Arbitrary<Bytes> rows =
        keys()
            .flatMap(
                key -> Arbitraries.of(Kind.class).map(kind -> row(layout, key, 3 * WEEKS, kind)));
    return rows.flatMap(row ->
        Arbitraries.integers()
            .between(0, row.length() - 1)
            .flatMap(at ->
                Arbitraries.bytes()
                    .flatMap(with ->
                        Arbitraries.of(
                            row.slice(0, at)
                                .concat(Bytes.of(with))
                                .concat(row.slice(at + 1, row.length())),
                            row.slice(0, at)
                                .concat(Bytes.of(with))
                                .concat(row.slice(at, row.length())),
                            row.slice(0, at).concat(row.slice(at + 1, row.length())),
                            row.slice(0, at)))));
  }

  /**
   * The valid key of metric {@code m}, row 0, type long and tag a=b is {@code 6d00 0000000000000000
   * 000b6b6169726f735f6c6f6e67 613d623a}.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          ''                                                             | row key: no byte 00 ends the metric
          6d                                                             | row key: no byte 00 ends the metric
          00 0000000000000000 613d623a                                   | row key: the metric at byte 0 is empty
          6dc3 00 0000000000000000 613d623a                              | row key: byte 1, c3, of the metric is not UTF-8
          6d 00 00000000000000                                           | row key: ends at byte 9 inside the row time, which takes bytes 2 to 9
          6d 00 0000000000000001 613d623a                                | row key: row time 1 at byte 2 is not possible with a row width of 1814400000 ms
          6d 00 ffffffffffffffff 613d623a                                | row key: row time -1 at byte 2 is not possible with a row width of 1814400000 ms
          6d 00 0000000000000000                                         | row key: ends at byte 10, where the data type should be
          6d 00 0000000000000000 00                                      | row key: ends at byte 11, where the data type should be
          6d 00 0000000000000000 00 0b 6b6169726f735f6c6f6e              | row key: the data type at byte 12 should have 11 bytes, 10 are left
          6d 00 0000000000000000 00 0e 6b6169726f735f636f6d706c6578 613d623a | row key: data type 'kairos_complex' at byte 12 is not kairos_long, kairos_double or kairos_string
          6d 00 0000000000000000 00 0d 6b6169726f735f6c6567616379 613d623a | row key: data type 'kairos_legacy' at byte 12 is not kairos_long, kairos_double or kairos_string
          6d 00 0000000000000000 61                                      | row key: ends at byte 11 inside the tag name that starts at byte 10
          6d 00 0000000000000000 613d                                    | row key: ends at byte 12 inside the tag value that starts at byte 12
          6d 00 0000000000000000 613d62                                  | row key: ends at byte 13 inside the tag value that starts at byte 12
          6d 00 0000000000000000 3d623a                                  | row key: the tag name at byte 10 is empty
          6d 00 0000000000000000 613d3a                                  | row key: the tag value at byte 12 is empty
          6d 00 0000000000000000 613d62003a                              | row key: byte 13 of the tags is 00; tags cannot contain NUL
          6d 00 0000000000000000 613dff3a                                | row key: byte 12, ff, of the tags is not UTF-8
          6d 00 0000000000000000 623d313a613d323a                        | row key: tag 'a' at byte 14 comes after 'b'
          6d 00 0000000000000000 613d313a613d323a                        | row key: tag 'a' at byte 14 comes after 'a'
          6d 00 0000000000000000 613d623d633a                            | row key: the '=' at byte 13 of a tag value escapes neither ':' nor '='; versions before 1.1.3 wrote such keys, whose meaning is ambiguous
          6d 00 0000000000000000 613a623d633a                            | row key: the ':' at byte 11 of a tag name escapes neither ':' nor '='; versions before 1.1.3 wrote such keys, whose meaning is ambiguous
          """)
  void isRefusedWhereItIsDamaged(String hex, String reason) {
    byte[] row = HexFormat.of().parseHex(hex.replace("'", "").replace(" ", ""));
    assertThatThrownBy(() -> legacy.rows().decode(row, 0, row.length, new KeyOutput()))
        .isInstanceOf(DamagedCellException.class)
        .hasMessage(reason);
    assertThat(
            Cells.damage(legacy, new Cell(Bytes.of(row), 0, Bytes.of(new byte[4]), 0, Bytes.EMPTY)))
        .isEqualTo(reason);
  }

  @Test
  void withoutATypeIsReadInLegacyKeyspacesAlone() {
    byte[] row = HexFormat.of().parseHex("6d000000000000000000613d623a");
    assertThatThrownBy(() -> layout.rows().decode(row, 0, row.length, new KeyOutput()))
        .isInstanceOf(DamagedCellException.class)
        .hasMessage(
            "row key: byte 10 is 61, where 00 should start the data type; rows without a type are"
                + " read with unit=legacy");
  }

  private static Bytes row(KairosDbLayout layout, GroupKey key, long time, Kind kind) {
    KeyBytes out = new KeyBytes();
    layout.rows().encode(new KeyInput(Cells.bind(layout, key)).time(time).kind(kind), out);
    return out.toBytes();
  }
}
