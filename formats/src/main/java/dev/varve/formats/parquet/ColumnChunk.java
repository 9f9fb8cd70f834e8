package dev.varve.formats.parquet;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/** The encoded pages of one column of a row group. */
final class ColumnChunk implements AutoCloseable {
  private static final int ZSTD_LEVEL = 3;
  private static final int DATA_PAGE = 0;
  private static final int DICTIONARY_PAGE = 2;

  static final int PLAIN = 0;
  static final int RLE = 3;
  static final int DELTA_BINARY_PACKED = 5;
  static final int RLE_DICTIONARY = 8;
  private static final int ZSTD = 6;

  /**
   * The figures by which readers skip a column chunk.
   *
   * @param least the least value as it is stored, and {@code most} the largest; null if unknown
   */
  record Statistics(long nulls, byte @Nullable [] least, byte @Nullable [] most) {}

  private final Leaf leaf;
  private final ByteArrayOutputStream pages = new ByteArrayOutputStream();
  private final ZstdCompressCtx zstd = new ZstdCompressCtx().setLevel(ZSTD_LEVEL);
  private final Set<Integer> encodings = new TreeSet<>(Set.of(RLE));
  private int dictionaryBytes;
  private long values;
  private long expanded;
  private Statistics statistics = new Statistics(0, null, null);

  ColumnChunk(Leaf leaf) {
    this.leaf = leaf;
  }

  /** Writes the page that the numbers of the other pages refer to. It is the first. */
  void dictionary(byte[] plain, int count) {
    encodings.add(PLAIN);
    page(
        plain,
        head -> head.struct(7, dictionary -> dictionary.i32(1, count).i32(2, PLAIN)),
        DICTIONARY_PAGE);
    dictionaryBytes = pages.size();
  }

  /**
   * Writes a page.
   *
   * @param count number of values, with those that are not there
   * @param body levels and values
   */
  void data(byte[] body, int count, int encoding) {
    encodings.add(encoding);
    values += count;
    page(
        body,
        head -> head.struct(5, data -> data.i32(1, count).i32(2, encoding).i32(3, RLE).i32(4, RLE)),
        DATA_PAGE);
  }

  private void page(byte[] body, Consumer<CompactThrift> kind, int type) {
    try (Arena arena = Arena.ofConfined()) {
      // Off-heap: the JVM may move an array while native code reads it.
      int bound = Math.toIntExact(Zstd.compressBound(body.length));
      ByteBuffer from = arena.allocate(Math.max(1, body.length)).asByteBuffer().put(body).flip();
      ByteBuffer to = arena.allocate(bound).asByteBuffer();
      to.limit(zstd.compressDirectByteBuffer(to, 0, bound, from, 0, body.length));
      CRC32 sum = new CRC32();
      sum.update(to.duplicate());
      byte[] compressed = new byte[to.remaining()];
      to.get(compressed);
      byte[] head =
          CompactThrift.struct(page -> {
            page.i32(1, type).i32(2, body.length).i32(3, compressed.length);
            page.i32(4, (int) sum.getValue());
            kind.accept(page);
          });
      pages.writeBytes(head);
      pages.writeBytes(compressed);
      expanded += head.length + body.length;
    }
  }

  void statistics(Statistics known) {
    statistics = known;
  }

  byte[] pages() {
    return pages.toByteArray();
  }

  int length() {
    return pages.size();
  }

  /** Returns the length without compression. */
  long expanded() {
    return expanded;
  }

  /**
   * Writes the entry of the footer.
   *
   * @param offset where the pages begin in the file
   */
  void describe(CompactThrift chunk, long offset) {
    chunk.i64(2, offset);
    chunk.struct(
        3,
        meta -> {
          meta.i32(1, leaf.type().number())
              .i32s(2, List.copyOf(encodings))
              .texts(3, leaf.path())
              .i32(4, ZSTD)
              .i64(5, values)
              .i64(6, expanded)
              .i64(7, pages.size())
              .i64(9, offset + dictionaryBytes);
          if (dictionaryBytes > 0) {
            meta.i64(11, offset);
          }
          meta.struct(12, this::describeStatistics);
        });
  }

  private void describeStatistics(CompactThrift thrift) {
    thrift.i64(3, statistics.nulls());
    byte[] least = statistics.least();
    byte[] most = statistics.most();
    if (least != null && most != null) {
      thrift.binary(5, most).binary(6, least);
    }
  }

  @Override
  public void close() {
    zstd.close();
  }
}
