package dev.varve.server.prometheus;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.formats.protobuf.WireWriter;
import dev.varve.model.Kind;
import dev.varve.model.Samples;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
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
  void readsOneSeriesFromSeveralFrames() throws IOException {
    WireWriter labels = labels("__name__", "up");
    byte[] stream =
        join(
            frame(series(labels, chunk(1, 1_000, 1))),
            frame(series(labels, chunk(1, 2_000, 2), chunk(2, 3_000, 3), chunk(3, 4_000, 4))));
    List<Long> times = new ArrayList<>();

    long histograms =
        RemoteReadClient.read(
            new ByteArrayInputStream(stream), samples -> times.add(samples.time(0)));

    assertThat(times).containsExactly(1_000L, 2_000L);
    assertThat(histograms).isEqualTo(2);
  }

  @Test
  void refusesASecondSeries() {
    byte[] one = frame(series(labels("__name__", "up"), chunk(1, 1_000, 1)));
    WireWriter longer = labels("__name__", "up").append(labels("job", "a"));
    byte[] other = frame(series(longer, chunk(1, 1_000, 2)));

    assertFails(
        "the answer holds several series, one expected: {__name__=up} and {__name__=up, job=a}",
        join(one, other));
  }

  @Test
  void refusesChunksOfUnknownEncodings() {
    for (int encoding : new int[] {0, 4}) {
      assertFails(
          "frame 1 has a chunk of encoding " + encoding + ", expected 1 (XOR), 2 or 3 (histograms)",
          frame(series(labels("__name__", "up"), chunk(encoding, 1_000, 1))));
    }
  }

  @Test
  void tellsBrokenAnswers() throws IOException {
    assertThat(read(new byte[0])).isZero();
    assertThatThrownBy(() -> read(new byte[] {5, 0, 0})).isInstanceOf(EOFException.class);
    assertThatThrownBy(() -> read(new byte[] {(byte) 0x80})).isInstanceOf(EOFException.class);
    byte[] sound = frame(series(labels("__name__", "up"), chunk(1, 1_000, 1)));
    byte[] damaged = {1, 0, 0, 0, 0, 9};
    CRC32C crc = new CRC32C();
    crc.update(9);
    assertFails(
        "frame 2: CRC32C is %08x, expected 00000000".formatted(crc.getValue()),
        join(sound, damaged));
    assertThatThrownBy(() -> read("{\"status\":\"error\"}".getBytes(UTF_8)))
        .isInstanceOf(IOException.class);
  }

  @Test
  void refusesLengthsThatNoFrameHas() {
    assertFails(
        "a frame of 67,108,865 bytes, at most 67,108,864 expected: not a stream of chunks",
        new byte[] {(byte) 0x81, (byte) 0x80, (byte) 0x80, 0x20});
    byte more = (byte) 0x80;
    assertFails(
        "the length of a frame takes more than 5 bytes: not a stream of chunks",
        new byte[] {more, more, more, more, more, 0, 0, 0, 0, 0});
  }

  private static void assertFails(String message, byte[] answer) {
    assertThatThrownBy(() -> read(answer))
        .isExactlyInstanceOf(IOException.class)
        .hasMessage(message);
  }

  private static long read(byte[] answer) throws IOException {
    return RemoteReadClient.read(new ByteArrayInputStream(answer), samples -> {});
  }

  private static WireWriter labels(String name, String value) {
    return new WireWriter().message(1, new WireWriter().text(1, name).text(2, value));
  }

  /** Returns a chunk of one sample. Those of other encodings than XOR are never decoded. */
  private static WireWriter chunk(int encoding, long time, double value) {
    XorChunk data = new XorChunk();
    data.add(time, value);
    return new WireWriter()
        .varint(1, time)
        .varint(2, time)
        .varint(3, encoding)
        .bytes(4, data.toBytes());
  }

  private static WireWriter series(WireWriter labels, WireWriter... chunks) {
    WireWriter series = new WireWriter().append(labels);
    for (WireWriter chunk : chunks) {
      series.message(2, chunk);
    }
    return series;
  }

  /** Returns the frame of a message of less than 128 bytes. */
  private static byte[] frame(WireWriter series) {
    byte[] message = new WireWriter().message(1, series).toBytes();
    assertThat(message).hasSizeLessThan(128);
    CRC32C crc = new CRC32C();
    crc.update(message);
    return ByteBuffer.allocate(5 + message.length)
        .put((byte) message.length)
        .putInt((int) crc.getValue())
        .put(message)
        .array();
  }

  private static byte[] join(byte[] one, byte[] other) {
    return ByteBuffer.allocate(one.length + other.length).put(one).put(other).array();
  }
}
