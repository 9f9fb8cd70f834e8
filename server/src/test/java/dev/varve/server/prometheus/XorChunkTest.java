package dev.varve.server.prometheus;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class XorChunkTest {
  private final XorChunk chunk = new XorChunk();

  @Test
  void writesTheBytesThatPrometheusWrites() throws IOException {
    List<String[]> rows = recorded();
    assertThat(rows).hasSize(9);
    for (String[] row : rows) {
      chunk.clear();
      for (String sample : row[0].split(" ", -1)) {
        String[] parts = sample.split(":", -1);
        chunk.add(
            Long.parseLong(parts[0]),
            Double.longBitsToDouble(HexFormat.fromHexDigitsToLong(parts[1])));
      }
      assertThat(HexFormat.of().formatHex(chunk.toBytes())).as(row[0]).isEqualTo(row[1]);
    }
  }

  private static List<String[]> recorded() throws IOException {
    try (InputStream in = XorChunkTest.class.getResourceAsStream("prometheus-xor-chunks.tsv")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.startsWith("#"))
          .map(line -> line.split("\t", -1))
          .toList();
    }
  }

  @Test
  void holdsTheLongestSamples() {
    long time = Long.MIN_VALUE / 4;
    for (int i = 0; i < XorChunk.SAMPLES_MAX; i++) {
      // 64-bit deltas of deltas, and values without common zeros.
      time += i % 2 == 0 ? 1 : 1L << 50;
      chunk.add(
          time, Double.longBitsToDouble(i % 2 == 0 ? 0x8000000000000001L : 0x4000000000000003L));
    }
    assertThat(chunk.count()).isEqualTo(XorChunk.SAMPLES_MAX);
    assertThat(chunk.lastTime()).isEqualTo(time);
    assertThat(chunk.toBytes().length).isGreaterThan(XorChunk.SAMPLES_MAX * 16);
  }
}
