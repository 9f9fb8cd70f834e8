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
  /*
   * What is written, in the names of Parquet's parquet.thrift and with the numbers of its fields:
   *
   *   Page := PageHeader, body compressed
   *   PageHeader {
   *     1 type, 2 bytes uncompressed, 3 bytes compressed, 4 CRC-32 of the compressed bytes,
   *     5 DataPageHeader { 1 values, 2 encoding, 3 encoding of definition levels,
   *       4 encoding of repetition levels },
   *     7 DictionaryPageHeader { 1 values, 2 encoding } }
   *   ColumnChunk { 2 file offset, 3 ColumnMetaData }
   *   ColumnMetaData {
   *     1 type, 2 encodings, 3 path, 4 codec, 5 values, 6 bytes uncompressed, 7 bytes compressed,
   *     9 offset of the first data page, 11 offset of the dictionary page,
   *     12 Statistics { 3 nulls, 5 largest value, 6 least value } }
   */
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
   * @param nulls number of values that are not there
   * @param least the least value in plain encoding, of texts without their length; null if unknown
   * @param most the largest value in the same form; null if unknown
   */
  record Statistics(long nulls, byte @Nullable [] least, byte @Nullable [] most) {}

  private final Leaf leaf;
  private final ByteArrayOutputStream pages = new ByteArrayOutputStream();
  private final ZstdCompressCtx zstd = new ZstdCompressCtx().setLevel(ZSTD_LEVEL);
  private final Set<Integer> encodings = new TreeSet<>(Set.of(RLE));
  private int dictionaryBytes;
  private long values;
  private long expandedBytes;
  private Statistics statistics = new Statistics(0, null, null);

  ColumnChunk(Leaf leaf) {
    this.leaf = leaf;
  }

  /**
   * Writes the page that the numbers of the other pages refer to.
   *
   * @throws IllegalStateException if it is not the first
   */
  void dictionary(byte[] plain, int count) {
    if (pages.size() > 0) {
      throw new IllegalStateException(
          "column %s: the dictionary comes after %,d bytes of pages"
              .formatted(leaf.path(), pages.size()));
    }
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
      expandedBytes += head.length + body.length;
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

  /** Returns the length without compression, in bytes. */
  long expandedBytes() {
    return expandedBytes;
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
              .i64(6, expandedBytes)
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
