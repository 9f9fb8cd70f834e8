package dev.varve.server.prometheus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.Test;
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
