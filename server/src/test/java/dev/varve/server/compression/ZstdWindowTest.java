package dev.varve.server.compression;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.Zstd;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ZstdWindowTest {
  private static final long MAX = 8 << 20;

  private static long window(byte[] frames) throws IOException {
    return ZstdWindow.of(new ByteArrayInputStream(frames), MAX);
  }

  private static byte[] random(int length) {
    byte[] bytes = new byte[length];
    new Random(1).nextBytes(bytes);
    return bytes;
  }

  @Test
  void isTheContentOfASmallFrameAndTheMostOfALargeOne() throws IOException {
    assertThat(window(Zstd.compress(random(300), 3))).isEqualTo(300);
    assertThat(window(Zstd.compress(new byte[100_000], 3))).isEqualTo(100_000);
    assertThat(window(Zstd.compress(new byte[20 << 20], 3))).isBetween(1L << 20, MAX);
    assertThat(window(Zstd.compress(new byte[20 << 20], 22))).isEqualTo(MAX);
  }

  @Test
  void isTheLargestOfSeveralFrames() throws IOException {
    ByteArrayOutputStream frames = new ByteArrayOutputStream();
    frames.write(Zstd.compress(random(1_000), 3));
    frames.write(new byte[] {0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3});
    frames.write(Zstd.compress(random(200_000), 3));
    frames.write(Zstd.compress(random(10), 3));
    assertThat(window(frames.toByteArray())).isEqualTo(200_000);
  }

  @Test
  void isKnownOfWhatIsStreamedAndCutOff() throws IOException {
    ByteArrayOutputStream frame = new ByteArrayOutputStream();
    try (OutputStream out = new ZstdOutput(frame)) {
      out.write(new byte[50_000]);
    }
    byte[] whole = frame.toByteArray();
    assertThat(window(whole)).isBetween(50_000L, MAX);
    assertThat(window(Arrays.copyOf(whole, whole.length - 1))).isEqualTo(window(whole));
    assertThat(window(new byte[0])).isZero();
    assertThat(window("no zstd".getBytes(StandardCharsets.UTF_8))).isEqualTo(MAX);
  }
}
