package dev.varve.formats.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Chars;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScanTest {
  @Property
  void readsEveryInt64(@ForAll long number) {
    assertThat(Scan.integer(Long.toString(number), "n")).isEqualTo(number);
  }

  @Property
  void readsAsManyDigitsAsFitAndNoMore(
      @ForAll @Chars({'0', '1', '8', '9', '-', '+', '5'}) @StringLength(max = 19) String text) {
    Assume.that(text.matches("[-+]?[0-9]{1,19}"));
    BigInteger exact = new BigInteger(text);
    if (exact.bitLength() < Long.SIZE) {
      assertThat(Scan.integer(text, "n")).isEqualTo(exact.longValueExact());
    } else {
      assertThatExceptionOfType(BadLineException.class).isThrownBy(() -> Scan.integer(text, "n"));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "9223372036854775808",
        "-9223372036854775809",
        "",
        "-",
        "+",
        "1_000",
        "1.0",
        "0x1",
        " 1",
        "٣"
      })
  void refusesWhatIsNoInt64(String text) {
    assertThatExceptionOfType(BadLineException.class)
        .isThrownBy(() -> Scan.integer(text, "time"))
        .withMessage("time '" + text + "' is not an integer of 64 bits");
  }

  @Property
  void readsEveryDoubleAsJavaWritesIt(@ForAll double number) {
    assertThat(Scan.realOrSpecial(Double.toString(number), "n")).isEqualTo(number);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "1d", "1f", "0x1p3", "1,5", "--1", ".", "e", "nano", "in", "-", "infinit"})
  void refusesWhatIsNoDecimalNumber(String text) {
    assertThatExceptionOfType(BadLineException.class)
        .isThrownBy(() -> Scan.realOrSpecial(text, "value"))
        .withMessage("value '" + text + "' is not a number");
  }

  @Test
  void refusesANumberThatNoDoubleHolds() {
    assertThatExceptionOfType(BadLineException.class)
        .isThrownBy(() -> Scan.real("-1e400", "value"))
        .withMessage("value '-1e400' is too large for a double");
  }

  @Test
  void refusesBytesThatAreNotUtf8RatherThanRenameWhatTheyName() {
    byte[] latin1 = "Köln".getBytes(StandardCharsets.ISO_8859_1);
    assertThatExceptionOfType(BadLineException.class)
        .isThrownBy(() -> Scan.text(latin1, 0, latin1.length))
        .withMessage("'K\uFFFDln' is not UTF-8");
  }

  @Test
  void keepsAReplacementCharacterThatWasSent() {
    byte[] bytes = "a\uFFFDb".getBytes(StandardCharsets.UTF_8);
    assertThat(Scan.text(bytes, 0, bytes.length)).isEqualTo("a\uFFFDb");
  }

  @Test
  void showsALongTextShortenedAndInOneLine() {
    byte[] bytes = ("a\nb\u001b[31m" + "ü".repeat(1_000)).getBytes(StandardCharsets.UTF_8);
    assertThat(Scan.shown(bytes, 0, bytes.length))
        .startsWith("a\uFFFDb\uFFFD[31mü")
        .hasSize(83)
        .endsWith("ü...");
  }
}
