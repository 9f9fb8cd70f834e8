package dev.varve.formats.protobuf;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class WireReaderTest {
  /** The examples of the encoding's documentation. */
  @Test
  void readsTheDocumentedBytes() {
    WireReader number = reader("089601");
    assertThat(number.next()).isTrue();
    assertThat(number.field()).isEqualTo(1);
    assertThat(number.varint()).isEqualTo(150);
    assertThat(number.next()).isFalse();

    WireReader text = reader("120774657374696e67");
    text.next();
    assertThat(text.field()).isEqualTo(2);
    assertThat(text.text()).isEqualTo("testing");

    WireReader outer = reader("1a03089601");
    outer.next();
    WireReader inner = outer.message();
    inner.next();
    assertThat(inner.varint()).isEqualTo(150);

    WireReader packed = reader("3206038e029ea705");
    packed.next();
    List<Long> values = new ArrayList<>();
    packed.eachVarint(values::add);
    assertThat(values).containsExactly(3L, 270L, 86942L);
  }

  @Property
  void readsWhatWasWritten(@ForAll long number, @ForAll double real, @ForAll String text) {
    String kept = new String(text.getBytes(UTF_8), UTF_8);
    WireReader reader =
        new WireReader(
            new WireWriter().varint(1, number).text(3, kept).real(2, real).varint(9, 1).toBytes());
    reader.next();
    assertThat(reader.varint()).isEqualTo(number);
    reader.next();
    assertThat(reader.text()).isEqualTo(kept);
    reader.next();
    assertThat(Double.doubleToRawLongBits(reader.real()))
        .isEqualTo(Double.doubleToRawLongBits(real));
    reader.next();
    reader.skip();
    assertThat(reader.next()).isFalse();
  }

  @Property
  void refusesOrReadsWhatever(@ForAll byte[] bytes) {
    WireReader reader = new WireReader(bytes);
    try {
      while (reader.next()) {
        reader.skip();
      }
    } catch (MalformedMessageException e) {
      assertThat(e).hasMessageMatching("(?s).+");
    }
  }

  @Test
  void saysWhatIsMalformed() {
    assertThatThrownBy(() -> skip("12077465")).hasMessage("field 2 is cut off");
    assertThatThrownBy(() -> skip("0896")).hasMessage("a number is cut off");
    assertThatThrownBy(() -> skip("08ffffffffffffffffffffff01"))
        .hasMessage("a number of more than 64 bits");
    assertThatThrownBy(() -> skip("00")).hasMessage("a field of number 0");
    assertThatThrownBy(() -> skip("0b")).hasMessage("wire type 3 in field 1");
  }

  private static void skip(String hex) {
    WireReader reader = reader(hex);
    reader.next();
    reader.skip();
  }

  private static WireReader reader(String hex) {
    return new WireReader(HexFormat.of().parseHex(hex));
  }
}
