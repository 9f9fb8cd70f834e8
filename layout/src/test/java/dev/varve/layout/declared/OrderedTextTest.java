package dev.varve.layout.declared;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.layout.KeyBytes;
import dev.varve.model.Bytes;
import java.nio.charset.StandardCharsets;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class OrderedTextTest {
  @Property
  void bytesSortAsTheTextsDoWhateverFollows(
      @ForAll("texts") String a, @ForAll("texts") String b, @ForAll byte next, @ForAll byte other) {
    int byUtf8 = Bytes.utf8(a).compareTo(Bytes.utf8(b));
    Bytes first = ended(a).concat(Bytes.of(next));
    Bytes second = ended(b).concat(Bytes.of(other));
    if (byUtf8 != 0) {
      assertThat(Integer.signum(first.compareTo(second))).isEqualTo(Integer.signum(byUtf8));
    }
  }

  @Property
  void aTextIsFoundAndReadBackWhateverFollows(@ForAll("texts") String text, @ForAll byte[] after) {
    byte[] bytes = ended(text).concat(Bytes.of(after)).toArray();
    int end = OrderedText.endOfText(bytes, 0, bytes.length);
    assertThat(OrderedText.read(bytes, 0, end)).isEqualTo(text);
  }

  @Property
  void fieldsAreReadBackAlsoTheEmptyOne(@ForAll("texts") String field) {
    KeyBytes out = new KeyBytes();
    OrderedText.appendField(field, out);
    int length = out.length();
    assertThat(OrderedText.isField(out.array(), 0, length)).isTrue();
    assertThat(OrderedText.readField(out.array(), 0, length)).isEqualTo(field);
    OrderedText.end(out);
    assertThat(OrderedText.endOfField(out.array(), 0, out.length())).isEqualTo(length);
  }

  @Property
  void namesCompareInTheRowAsTagsDo(@ForAll("texts") String a, @ForAll("texts") String b) {
    KeyBytes out = new KeyBytes();
    OrderedText.append(a, out);
    int middle = out.length();
    OrderedText.append(b, out);
    assertThat(Integer.signum(OrderedText.compare(out.array(), 0, middle, middle, out.length())))
        .isEqualTo(Integer.signum(a.compareTo(b)));
  }

  @Property
  void utf8IsValidExactlyWhereTheDecoderSaysSo(@ForAll("bytes") byte[] bytes) {
    boolean valid = Bytes.utf8(new String(bytes, StandardCharsets.UTF_8)).equals(Bytes.of(bytes));
    assertThat(Utf8.valid(bytes, 0, bytes.length)).isEqualTo(valid);
  }

  @Test
  void halfAPairIsFound() {
    assertThat(Utf8.unpaired("a\ud83d\ude00b")).isEqualTo(-1);
    assertThat(Utf8.unpaired("a\ud83d")).isEqualTo(1);
    assertThat(Utf8.unpaired("\ude00\ud83d")).isEqualTo(0);
  }

  private static Bytes ended(String text) {
    KeyBytes out = new KeyBytes();
    OrderedText.appendEnded(text, out);
    return out.toBytes();
  }

  @Provide
  Arbitrary<String> texts() {
    return Arbitraries.of(
            "\0", "\1", "\u007f", "\u0080", "a", "z", "\u07ff", "\ue000", "\uffff", "\ud800\udc00")
        .list()
        .ofMaxSize(4)
        .map(parts -> String.join("", parts));
  }

  @Provide
  Arbitrary<byte[]> bytes() {
    return Arbitraries.of(
            0x00, 0x41, 0x7f, 0x80, 0xbf, 0xc1, 0xc2, 0xdf, 0xe0, 0x9f, 0xa0, 0xed, 0xef, 0xf0,
            0x8f, 0x90, 0xf4, 0xf5, 0xff)
        .list()
        .ofMaxSize(6)
        .map(list -> {
          byte[] array = new byte[list.size()];
          for (int i = 0; i < array.length; i++) {
            array[i] = list.get(i).byteValue();
          }
          return array;
        });
  }
}
