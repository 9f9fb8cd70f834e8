package dev.varve.server.compression;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipException;
import org.junit.jupiter.api.Test;

class GzipStreamsTest {
  /** "a" with every optional field: two extra bytes, the name n, the comment c, a checksum. */
  private static final String ALL_FIELDS =
      "1f8b081e0000000000ff"
          + "0200aabb"
          + "6e00"
          + "6300"
          + "5548"
          + "4b0400"
          + "43beb7e8"
          + "01000000";

  @Test
  void compressesWhatOthersDecompress() throws IOException {
    for (int length : new int[] {0, 1, 1000, 16 << 10, (16 << 10) + 1, 3_000_001}) {
      byte[] content = content(length);
      byte[] member = compressed(content);
      try (InputStream other = new GZIPInputStream(new ByteArrayInputStream(member))) {
        assertThat(other.readAllBytes()).as("%d bytes", length).isEqualTo(content);
      }
      assertThat(decoded(member)).isEqualTo(content);
    }
  }

  @Test
  void decompressesWhatOthersCompress() throws IOException {
    for (int length : new int[] {0, 1, 1000, 16 << 10, (16 << 10) + 1, 3_000_001}) {
      byte[] content = content(length);
      assertThat(decoded(compressedByOthers(content))).as("%d bytes", length).isEqualTo(content);
    }
  }

  @Test
  void goFromThreadToThread() throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    GzipOutput gzip = new GzipOutput(out);
    gzip.write("text".getBytes(UTF_8));
    CompletableFuture.runAsync(() -> close(gzip)).get();
    GzipInput in = new GzipInput(new ByteArrayInputStream(out.toByteArray()));
    assertThat(in.readNBytes(4)).isEqualTo("text".getBytes(UTF_8));
    CompletableFuture.runAsync(() -> close(in)).get();
  }

  private static void close(Closeable stream) {
    try {
      stream.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void flushesWhatWasWritten() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GzipOutput gzip = new GzipOutput(out)) {
      gzip.write("first".getBytes(UTF_8));
      gzip.flush();
      try (InputStream in = new GzipInput(new ByteArrayInputStream(out.toByteArray()))) {
        assertThat(in.readNBytes(5)).isEqualTo("first".getBytes(UTF_8));
      }
      gzip.write("second".getBytes(UTF_8));
      gzip.flush();
      gzip.flush();
    }
    assertThat(decoded(out.toByteArray())).isEqualTo("firstsecond".getBytes(UTF_8));
  }

  @Test
  void readsMembersOneAfterAnother() throws IOException {
    byte[] content = content(100_000);
    byte[] member = compressed(content);
    byte[] decoded =
        decoded(joined(member, compressedByOthers(content), compressed(content(0)), member));
    assertThat(decoded).hasSize(300_000);
    assertThat(Arrays.copyOfRange(decoded, 200_000, 300_000)).isEqualTo(content);
  }

  @Test
  void readsABodyThatComesByteByByte() throws IOException {
    byte[] content = content(100_000);
    InputStream trickle =
        new FilterInputStream(
            new ByteArrayInputStream(joined(compressed(content), compressed(content)))) {
          @Override
          public int read(byte[] bytes, int offset, int length) throws IOException {
            return super.read(bytes, offset, 1);
          }
        };
    try (InputStream in = new GzipInput(trickle)) {
      assertThat(in.readAllBytes()).isEqualTo(joined(content, content));
      assertThat(in.read()).isEqualTo(-1);
    }
  }

  @Test
  void skipsTheOptionalFieldsOfAHeader() throws IOException {
    assertThat(decoded(HexFormat.of().parseHex(ALL_FIELDS))).isEqualTo("a".getBytes(UTF_8));
  }

  @Test
  void rejectsADamagedByteAnywhere() {
    byte[] member = HexFormat.of().parseHex(ALL_FIELDS);
    for (int i = 0; i < member.length; i++) {
      byte[] damaged = member.clone();
      damaged[i] ^= 1;
      assertThatThrownBy(() -> decoded(damaged)).as("byte %d", i).isInstanceOf(IOException.class);
    }
  }

  @Test
  void ignoresWhatFollowsTheLastMember() throws IOException {
    byte[] member = compressed(content(1000));
    for (String padding : new String[] {"00", "1f", "1f00", "0000000000000000"}) {
      assertThat(decoded(joined(member, HexFormat.of().parseHex(padding))))
          .as("padded with %s", padding)
          .isEqualTo(content(1000));
    }
  }

  @Test
  void rejectsAMemberThatIsCutOffAnywhere() throws IOException {
    byte[] member = compressed(content(5000));
    for (int length = 0; length < member.length; length++) {
      byte[] cut = Arrays.copyOf(member, length);
      assertThatThrownBy(() -> decoded(cut))
          .as("%d of %d bytes", length, member.length)
          .isInstanceOf(EOFException.class);
    }
    for (int length = 2; length < member.length; length++) {
      byte[] cut = joined(member, Arrays.copyOf(member, length));
      assertThatThrownBy(() -> decoded(cut))
          .as("%d of %d bytes of the second member", length, member.length)
          .isInstanceOf(EOFException.class);
    }
  }

  @Test
  void saysWhatIsWrong() throws IOException {
    byte[] member = compressed(content(100));
    assertRejected("not gzip at all".getBytes(UTF_8), "does not begin with 1f 8b");
    assertRejected(changed(member, 2, 7), "method");
    assertRejected(changed(member, 3, 0x20), "flags");
    assertRejected(changed(member, 10, 0xff), "");
    assertRejected(changed(member, member.length - 8, ~member[member.length - 8]), "checksum");
    assertRejected(changed(member, member.length - 4, 99), "length");
  }

  @Test
  void doesNotReadOrWriteOnceItIsClosed() throws IOException {
    InputStream in = new GzipInput(new ByteArrayInputStream(compressed(content(10))));
    in.close();
    in.close();
    assertThatThrownBy(in::read).hasMessageContaining("closed");
    GzipOutput out = new GzipOutput(new ByteArrayOutputStream());
    out.close();
    out.close();
    assertThatThrownBy(() -> out.write(1)).hasMessageContaining("closed");
  }

  private static void assertRejected(byte[] members, String reason) {
    assertThatThrownBy(() -> decoded(members))
        .isInstanceOf(ZipException.class)
        .hasMessageContaining(reason);
  }

  private static byte[] changed(byte[] bytes, int index, int value) {
    byte[] changed = bytes.clone();
    changed[index] = (byte) value;
    return changed;
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
    try (GzipOutput gzip = new GzipOutput(out)) {
      gzip.write(content);
    }
    return out.toByteArray();
  }

  private static byte[] compressedByOthers(byte[] content) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
      gzip.write(content);
    }
    return out.toByteArray();
  }

  private static byte[] decoded(byte[] members) throws IOException {
    try (InputStream in = new GzipInput(new ByteArrayInputStream(members))) {
      return in.readAllBytes();
    }
  }

  private static byte[] joined(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }
}
