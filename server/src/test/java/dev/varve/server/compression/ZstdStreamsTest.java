package dev.varve.server.compression;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdIOException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ZstdStreamsTest {
  private static final int WINDOW_LOG_MAX = 23;

  @Test
  void compressesContentOfAnyLength() throws IOException {
    for (int length : new int[] {0, 1, 1000, 32 << 10, (32 << 10) + 1, 3_000_001}) {
      byte[] content = content(length);
      byte[] frame = compressed(content);
      assertThat(Zstd.decompress(frame, length)).as("%d bytes", length).isEqualTo(content);
      assertThat(decoded(frame)).isEqualTo(content);
    }
  }

  @Test
  void flushesWhatWasWritten() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (ZstdOutput zstd = new ZstdOutput(out)) {
      zstd.write("first".getBytes(UTF_8));
      zstd.flush();
      try (InputStream in = input(out.toByteArray())) {
        assertThat(in.readNBytes(5)).isEqualTo("first".getBytes(UTF_8));
      }
      zstd.write("second".getBytes(UTF_8));
    }
    assertThat(decoded(out.toByteArray())).isEqualTo("firstsecond".getBytes(UTF_8));
  }

  @Test
  void readsFramesOneAfterAnother() throws IOException {
    byte[] content = content(100_000);
    ByteArrayOutputStream frames = new ByteArrayOutputStream();
    for (int level : new int[] {1, 19, -5}) {
      frames.write(Zstd.compress(content, level));
    }
    byte[] decoded = decoded(frames.toByteArray());
    assertThat(decoded).hasSize(300_000);
    assertThat(Arrays.copyOfRange(decoded, 200_000, 300_000)).isEqualTo(content);
  }

  @Test
  void readsABodyThatComesByteByByte() throws IOException {
    byte[] content = content(100_000);
    InputStream trickle =
        new FilterInputStream(new ByteArrayInputStream(Zstd.compress(content))) {
          @Override
          public int read(byte[] bytes, int offset, int length) throws IOException {
            return super.read(bytes, offset, 1);
          }
        };
    try (InputStream in = new ZstdInput(trickle, WINDOW_LOG_MAX)) {
      assertThat(in.readAllBytes()).isEqualTo(content);
      assertThat(in.read()).isEqualTo(-1);
    }
  }

  @Test
  void rejectsAFrameThatIsCutOffAnywhere() {
    byte[] frame = Zstd.compress(content(5000));
    for (int length = 1; length < frame.length; length++) {
      byte[] cut = Arrays.copyOf(frame, length);
      assertThatThrownBy(() -> decoded(cut))
          .as("%d of %d bytes", length, frame.length)
          .isInstanceOf(ZstdIOException.class);
    }
  }

  @Test
  void rejectsWhatIsNoFrame() {
    assertThatThrownBy(() -> decoded("not zstd at all".getBytes(UTF_8)))
        .isInstanceOf(ZstdIOException.class);
  }

  @Test
  void rejectsAWindowThatIsTooLarge() throws IOException {
    byte[] frame = compressed(content(3_000_000));
    try (InputStream in = new ZstdInput(new ByteArrayInputStream(frame), 10)) {
      assertThatThrownBy(in::readAllBytes).isInstanceOf(ZstdIOException.class);
    }
  }

  @Test
  void doesNotReadOrWriteOnceItIsClosed() throws IOException {
    InputStream in = input(Zstd.compress(content(10)));
    in.close();
    in.close();
    assertThatThrownBy(in::read).hasMessageContaining("closed");
    ZstdOutput out = new ZstdOutput(new ByteArrayOutputStream());
    out.close();
    out.close();
    assertThatThrownBy(() -> out.write(1)).hasMessageContaining("closed");
  }

  private static byte[] content(int length) {
    Random random = new Random(length);
    byte[] content = new byte[length];
    for (int i = 0; i < length; i++) {
      content[i] = (byte) (i % 100 < 60 ? i % 13 : random.nextInt());
    }
    return content;
  }

  private static byte[] compressed(byte[] content) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (ZstdOutput zstd = new ZstdOutput(out)) {
      zstd.write(content);
    }
    return out.toByteArray();
  }

  private static byte[] decoded(byte[] frames) throws IOException {
    try (InputStream in = input(frames)) {
      return in.readAllBytes();
    }
  }

  private static InputStream input(byte[] frames) {
    return new ZstdInput(new ByteArrayInputStream(frames), WINDOW_LOG_MAX);
  }
}
