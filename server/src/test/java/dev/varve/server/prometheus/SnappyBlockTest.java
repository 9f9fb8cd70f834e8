package dev.varve.server.prometheus;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.xerial.snappy.Snappy;

class SnappyBlockTest {
  @Test
  void packsContentOfAnyLength() throws IOException {
    Random random = new Random(1);
    for (int length : new int[] {0, 1, 127, 128, 65_536, 1 << 20, (1 << 20) + 1, 3_500_001}) {
      byte[] content = new byte[length];
      for (int i = 0; i < length; i++) {
        content[i] = (byte) (i % 1000 < 900 ? i % 97 : random.nextInt());
      }
      byte[] block = SnappyBlock.pack(content, () -> {});
      assertThat(Snappy.uncompress(block)).as("%d bytes", length).isEqualTo(content);
      assertThat(block.length).isLessThanOrEqualTo(Snappy.compress(content).length + length / 1000);
    }
  }

  @Test
  void packsContentThatDoesNotRepeat() throws IOException {
    byte[] content = new byte[300_000];
    new Random(2).nextBytes(content);
    byte[] block = SnappyBlock.pack(content, () -> {});
    assertThat(Snappy.uncompress(block)).isEqualTo(content);
    assertThat(block.length).isLessThan(content.length + content.length / 1000 + 32);
  }

  @Test
  void unpacksWhatTheReferencePacks() throws IOException {
    Random random = new Random(3);
    for (int round = 0; round < 300; round++) {
      byte[] content = new byte[random.nextInt(round < 290 ? 3000 : 400_000)];
      int alphabet = 1 + random.nextInt(255);
      for (int i = 0; i < content.length; i++) {
        content[i] =
            i > 50 && random.nextInt(4) > 0
                ? content[i - 1 - random.nextInt(50)]
                : (byte) random.nextInt(alphabet);
      }
      assertThat(SnappyBlock.unpack(Snappy.compress(content), length -> {})).isEqualTo(content);
      assertThat(Snappy.uncompress(SnappyBlock.pack(content, () -> {}))).isEqualTo(content);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          00                     | ''
          03 08 61 62 63         | abc
          03 f0 02 61 62 63      | abc
          03 f4 02 00 61 62 63   | abc
          03 f8 02 00 00 61 62 63    | abc
          03 fc 02 00 00 00 61 62 63 | abc
          06 04 61 62 01 02      | ababab
          05 00 61 0e 01 00      | aaaaa
          05 00 61 0f 01 00 00 00 | aaaaa
          """)
  void unpacksEveryKindOfElement(String block, String content) throws IOException {
    assertThat(new String(SnappyBlock.unpack(bytes(block), length -> {}), US_ASCII))
        .isEqualTo(content);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "", // no length
        "80", // half a length
        "ff ff ff ff ff ff 01 00", // a length of 43 bits
        "ff ff ff ff 0f 00", // more than the bytes can expand to
        "03 08 61 62", // a literal cut off by the end of the block
        "02 08 61 62 63", // a literal past the end of the content
        "04 08 61 62 63", // less than announced
        "03 fc ff ff ff ff 61 62", // a literal of 2^32 bytes
        "03 fc ff ff ff 7f 61 62", // a literal of 2^31 bytes
        "05 00 61 0e 02 00", // a copy from before the start of the content
        "05 00 61 0e 00 00", // a copy with offset 0
        "05 00 61 0f 01 00 00 80", // a copy from far before the start of the content
        "04 00 61 0e 01 00", // a copy past the end of the content
        "05 00 61 0e 01", // a copy cut off by the end of the block
      })
  void rejectsWhatIsNoBlock(String block) {
    assertThatThrownBy(() -> SnappyBlock.unpack(bytes(block), length -> {}))
        .isInstanceOf(IOException.class);
  }

  private static byte[] bytes(String hex) {
    return HexFormat.of().parseHex(hex.replace(" ", ""));
  }

  @Test
  void endsAmidALongContent() {
    int[] parts = new int[1];
    RuntimeException gone = new RuntimeException("gone");
    assertThatThrownBy(() ->
            SnappyBlock.pack(
                new byte[10 << 20],
                () -> {
                  if (++parts[0] == 3) {
                    throw gone;
                  }
                }))
        .isSameAs(gone);
  }
}
