package dev.varve.layout.kairosdb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyBytes;
import dev.varve.model.Bytes;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ValuesTest {
  @Test
  void areTheBytesOfTheOriginal() {
    for (String[] fact : Facts.of("original-classes.tsv", "value")) {
      byte[] bytes = HexFormat.of().parseHex(fact[2]);
      switch (fact[0]) {
        case "kairos_long" -> {
          assertThat(writtenLong(Long.parseLong(fact[1]))).isEqualTo(bytes);
          assertThat(Values.readLong(bytes, 0, bytes.length)).isEqualTo(Long.parseLong(fact[1]));
        }
        case "kairos_double" -> {
          KeyBytes out = new KeyBytes();
          Values.writeDouble(Double.parseDouble(fact[1]), out);
          assertThat(out.toBytes().toArray()).isEqualTo(bytes);
          assertThat((Double) Values.readDouble(bytes, 0, bytes.length))
              .isEqualTo(Double.valueOf(fact[1]));
        }
        case "kairos_string" -> {
          assertThat(writtenText(Facts.text(fact[1]).getBytes(UTF_8))).isEqualTo(bytes);
          assertThat(readText(bytes)).isEqualTo(Facts.text(fact[1]));
        }
        case "legacy_long" ->
            assertThat(Values.readUntypedLong(bytes, 0, bytes.length))
                .isEqualTo(Long.parseLong(fact[1]));
        default ->
            assertThat((Double) Values.readUntypedDouble(bytes, 0, bytes.length))
                .isEqualTo(Double.valueOf(fact[1]));
      }
    }
  }

  @Test
  void knowOneNanAsTheOriginalDoes() {
    KeyBytes out = new KeyBytes();
    Values.writeDouble(Double.longBitsToDouble(0x7ff0000000000002L), out);
    assertThat(out.toBytes().hex()).isEqualTo("7ff8000000000000");
    byte[] other = HexFormat.of().parseHex("7ff0000000000002");
    assertThat(Double.doubleToRawLongBits(Values.readDouble(other, 0, 8)))
        .isEqualTo(0x7ff0000000000002L);
  }

  @Property
  void longsComeBack(@ForAll long value) {
    byte[] bytes = writtenLong(value);
    assertThat(Values.readLong(bytes, 0, bytes.length)).isEqualTo(value);
  }

  @Property
  void longsHaveOneForm(@ForAll @Size(max = 11) byte[] bytes) {
    long value;
    try {
      value = Values.readLong(bytes, 0, bytes.length);
    } catch (DamagedCellException e) {
      return;
    }
    assertThat(writtenLong(value)).isEqualTo(bytes);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ''                     | value: 0 bytes, a kairos_long has 1 to 10
          80                     | value: byte 0, 80, says that more follow in a kairos_long of 1 bytes
          0100                   | value: byte 0, 01, is an end in a kairos_long of 2 bytes
          8000                   | value: byte 1, 00, cannot be the last of a kairos_long
          ffffffffffffffffff02   | value: byte 9, 02, cannot be the last of a kairos_long
          ffffffffffffffffffff01 | value: 11 bytes, a kairos_long has 1 to 10
          """)
  void damagedLongsAreRefused(String hex, String reason) {
    byte[] bytes = HexFormat.of().parseHex(hex);
    assertThatThrownBy(() -> Values.readLong(bytes, 0, bytes.length))
        .isInstanceOf(DamagedCellException.class)
        .hasMessage(reason);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          0001                 | value: byte 0 is 00, which a long without a type leaves out
          010203040506070809   | value: 9 bytes, a long without a type has 0 to 8
          """)
  void damagedUntypedLongsAreRefused(String hex, String reason) {
    byte[] bytes = HexFormat.of().parseHex(hex);
    assertThatThrownBy(() -> Values.readUntypedLong(bytes, 0, bytes.length))
        .isInstanceOf(DamagedCellException.class)
        .hasMessage(reason);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "01", "0100000000ff", "02000000", "03ff", "010000000000000000", "0200000000"})
  void damagedUntypedDoublesAreRefused(String hex) {
    byte[] bytes = HexFormat.of().parseHex(hex);
    assertThatThrownBy(() -> Values.readUntypedDouble(bytes, 0, bytes.length))
        .isInstanceOf(DamagedCellException.class)
        .hasMessageStartingWith("value: neither 01 and 4 bytes nor 02 and 8 bytes, but ");
  }

  @Property
  void textsAreWhatDataOutputWrites(@ForAll String text) throws IOException {
    byte[] utf8 = text.getBytes(UTF_8);
    String carried = new String(utf8, UTF_8);
    ByteArrayOutputStream expected = new ByteArrayOutputStream();
    new DataOutputStream(expected).writeUTF(carried);
    assertThat(writtenText(utf8)).isEqualTo(expected.toByteArray());
    assertThat(readText(expected.toByteArray())).isEqualTo(carried);
  }

  @Property
  void textsHaveOneForm(@ForAll @Size(max = 8) List<TextByte> bytes) {
    KeyBytes value = new KeyBytes().u16(bytes.size());
    bytes.forEach(b -> value.u8(b.value));
    String text;
    try {
      text = readText(value.toBytes().toArray());
    } catch (DamagedCellException e) {
      return;
    }
    assertThat(writtenText(text.getBytes(UTF_8))).isEqualTo(value.toBytes().toArray());
  }

  /** Bytes at the boundaries between the forms of UTF-8. */
  enum TextByte {
    NUL(0x00),
    A(0x41),
    LOW(0x80),
    HIGH(0xa0),
    SECOND_HALF(0xb0),
    LAST(0xbf),
    C0(0xc0),
    C2(0xc2),
    E0(0xe0),
    E1(0xe1),
    ED(0xed),
    EF(0xef),
    F0(0xf0),
    F4(0xf4),
    FF(0xff);

    private final int value;

    TextByte(int value) {
      this.value = value;
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ''               | value: 0 bytes, a kairos_string has at least 2
          00               | value: 1 bytes, a kairos_string has at least 2
          0002 61          | value: says that 2 bytes of text follow, and there are 1
          0000 61          | value: says that 0 bytes of text follow, and there are 1
          0001 00          | value: byte 0, 00, is not modified UTF-8
          0002 6180        | value: byte 1, 80, is not modified UTF-8
          0004 f09f9880    | value: byte 0, f0, is not modified UTF-8
          0003 eda0bd      | value: byte 0, ed, is not modified UTF-8
          0006 edb880eda0bd | value: byte 0, ed, is not modified UTF-8
          0002 c1bf        | value: byte 0, c1, is not modified UTF-8
          """)
  void damagedTextsAreRefused(String hex, String reason) {
    byte[] bytes = HexFormat.of().parseHex(hex.replace(" ", ""));
    assertThatThrownBy(() -> readText(bytes))
        .isInstanceOf(DamagedCellException.class)
        .hasMessage(reason);
  }

  @Test
  void textsBeyondTheirLengthAreRefused() {
    byte[] longest = new byte[65_535];
    Arrays.fill(longest, (byte) 'x');
    assertThat(writtenText(longest)).startsWith(0xff, 0xff).hasSize(65_537);

    byte[] tooLong = Arrays.copyOf(longest, 65_536);
    tooLong[65_535] = 'x';
    assertThat(Values.writeText(tooLong, 0, tooLong.length, new KeyBytes()))
        .isEqualTo("the text takes 65536 bytes, and 65535 is the most");
    // It would fit as UTF-8, but in modified UTF-8 each NUL takes two bytes.
    byte[] zeros = new byte[32_768];
    assertThat(Values.writeText(zeros, 0, zeros.length, new KeyBytes()))
        .isEqualTo("the text takes 65536 bytes, and 65535 is the most");
  }

  @Test
  void textsThatAreNoUtf8AreRefused() {
    byte[] bytes = {'a', (byte) 0xed, (byte) 0xa0, (byte) 0x80};
    assertThat(Values.writeText(bytes, 0, bytes.length, new KeyBytes()))
        .isEqualTo("byte 1, ed, of the text is not UTF-8");
  }

  private static byte[] writtenLong(long value) {
    KeyBytes out = new KeyBytes();
    Values.writeLong(value, out);
    return out.toBytes().toArray();
  }

  private static byte[] writtenText(byte[] utf8) {
    KeyBytes out = new KeyBytes();
    assertThat(Values.writeText(utf8, 0, utf8.length, out)).isEmpty();
    return out.toBytes().toArray();
  }

  private static String readText(byte[] value) {
    Values.checkText(value, 0, value.length);
    if (Utf8.sameInBoth(value, 2, value.length)) {
      return new String(value, 2, value.length - 2, UTF_8);
    }
    KeyBytes text = new KeyBytes();
    Utf8.fromModified(value, 2, value.length, text);
    Bytes utf8 = text.toBytes();
    assertThat(Utf8.malformedAt(utf8.toArray(), 0, utf8.length())).isEqualTo(-1);
    return utf8.toUtf8();
  }
}
