package dev.varve.server.prometheus;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.model.Kind;
import dev.varve.model.Samples;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Chunks that are written are read back, and broken answers are errors. */
class RemoteReadClientTest {
  @Test
  void readsWhatIsWritten() throws IOException {
    Random random = new Random(11);
    for (int round = 0; round < 500; round++) {
      XorChunk chunk = new XorChunk();
      Samples expected = new Samples(Kind.DOUBLE);
      long time = random.nextLong() >> random.nextInt(20, 64);
      double value = random.nextGaussian();
      int count = 1 + random.nextInt(XorChunk.SAMPLES_MAX);
      for (int i = 0; i < count; i++) {
        chunk.add(time, value);
        expected.add(time, value, 0);
        time += 1 + (random.nextInt() >>> random.nextInt(1, 31));
        value =
            switch (random.nextInt(4)) {
              case 0 -> value;
              case 1 -> value + 1;
              case 2 -> Double.longBitsToDouble(random.nextLong());
              default -> -value;
            };
      }
      Samples read = new Samples(Kind.DOUBLE);
      new XorChunkReader(chunk.toBytes()).read(read);
      assertThat(read.size()).isEqualTo(count);
      for (int i = 0; i < count; i++) {
        assertThat(read.time(i)).isEqualTo(expected.time(i));
        assertThat(Double.doubleToRawLongBits(read.doubleAt(i)))
            .isEqualTo(Double.doubleToRawLongBits(expected.doubleAt(i)));
      }
    }
  }

  @Test
  void tellsBrokenAnswers() throws IOException {
    assertThat(read(new byte[0])).isZero();
    assertThatThrownBy(() -> read(new byte[] {5, 0, 0})).isInstanceOf(EOFException.class);
    assertThatThrownBy(() -> read(new byte[] {1, 0, 0, 0, 0, 9}))
        .isInstanceOf(IOException.class)
        .hasMessage("a frame has another checksum than its bytes");
    assertThatThrownBy(() -> read("{\"status\":\"error\"}".getBytes(UTF_8)))
        .isInstanceOf(IOException.class);
  }

  private static long read(byte[] answer) throws IOException {
    return RemoteReadClient.read(new ByteArrayInputStream(answer), samples -> {});
  }
}
