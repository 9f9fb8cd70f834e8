package dev.varve.layout.declared;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.layout.KeyBytes;
import dev.varve.model.Value;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ValuesTest {
  private static final Path PAGE = Path.of("../docs/layouts/declared.md");
  private static final Pattern ROW = Pattern.compile("\\| (\\S+) \\| `([0-9a-f ]+)` \\|");

  /** The rows of the page's table of values. */
  static Stream<List<String>> page() throws IOException {
    return Files.readAllLines(PAGE).stream()
        .map(ROW::matcher)
        .filter(Matcher::matches)
        .map(row -> List.of(row.group(1), row.group(2).replace(" ", "")))
        .toList()
        .stream();
  }

  @Test
  void thePageHasATableOfValues() throws IOException {
    assertThat(page()).hasSize(10);
  }

  @ParameterizedTest
  @MethodSource("page")
  void valuesStandAsThePageSays(List<String> row) {
    Value value = value(row.getFirst());
    byte[] bytes = HexFormat.of().parseHex(row.getLast());
    assertThat(bytes(value)).isEqualTo(bytes);
    assertThat(ValueCodec.read(bytes, 0, bytes.length)).isEqualTo(value);
  }

  private static Value value(String text) {
    if (text.startsWith("\"")) {
      return new Value.Text(text.substring(1, text.length() - 1));
    }
    return text.matches("-?[0-9]+")
        ? new Value.Int64(Long.parseLong(text))
        : new Value.Real(Double.parseDouble(text));
  }

  @Property
  void everyIntegerComesBackInOneForm(@ForAll long number) {
    byte[] bytes = bytes(new Value.Int64(number));
    assertThat(ValueCodec.read(bytes, 0, bytes.length)).isEqualTo(new Value.Int64(number));
    assertThat(bytes.length).isLessThanOrEqualTo(9);
  }

  @Property
  void everyBitPatternOfADoubleComesBack(@ForAll long bits) {
    Value value = new Value.Real(Double.longBitsToDouble(bits));
    byte[] bytes = bytes(value);
    assertThat(ValueCodec.read(bytes, 0, bytes.length)).isEqualTo(value);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "00",
        "0f",
        "1100",
        "120001",
        "12ffff",
        "19000000000000000001",
        "11",
        "1101ff",
        "2100",
        "224000",
        "22403f00",
        "30ff",
        "30c0",
        "5001",
        "80",
        "ff"
      })
  void malformedValuesAreRefused(String hex) {
    byte[] bytes = HexFormat.of().parseHex(hex);
    assertThat(ValueCodec.read(bytes, 0, bytes.length)).isNull();
  }

  @Test
  void lengthsOfPackedFieldsHaveOneFormToo() {
    for (int value : new int[] {0, 1, 127, 128, 16_383, 16_384, 2_097_151, Integer.MAX_VALUE}) {
      KeyBytes out = new KeyBytes();
      PackedCodec.varint(value, out);
      assertThat(PackedCodec.varintLength(value)).isEqualTo(out.length());
      assertThat(PackedCodec.varintAt(out.array(), 0, out.length())).isEqualTo(value);
      assertThat(PackedCodec.varintAt(out.array(), 0, out.length() - 1)).isEqualTo(-1);
    }
    for (String hex : new String[] {"8000", "ffffffff08", "ffffffffff01", "80"}) {
      byte[] bytes = HexFormat.of().parseHex(hex);
      assertThat(PackedCodec.varintAt(bytes, 0, bytes.length)).isEqualTo(-1);
    }
  }

  private static byte[] bytes(Value value) {
    KeyBytes out = new KeyBytes();
    ValueCodec.append(value, out);
    return out.toBytes().toArray();
  }
}
