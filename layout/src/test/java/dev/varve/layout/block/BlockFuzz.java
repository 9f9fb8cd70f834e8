package dev.varve.layout.block;

import dev.varve.layout.DamagedCellException;
import dev.varve.model.Bytes;
import dev.varve.model.Kind;
import dev.varve.model.Resolution;
import dev.varve.model.TimeRange;
import dev.varve.store.Cell;
import dev.varve.store.LaterFormatException;
import java.util.Arrays;

/**
 * Fuzzes blocks: a head, after its length, and a body. Their checksums are made right, so that they
 * hide nothing. A block is decoded, whole and in part, or damaged. What was decoded is described,
 * and encoded and decoded again.
 */
public final class BlockFuzz {
  private static final int CHECKSUM_BYTES = 4;

  private BlockFuzz() {}

  /** Runs one input; called by fuzzers. */
  public static void fuzzerTestOneInput(byte[] input) {
    if (input.length == 0) {
      return;
    }
    int length = Math.min(input[0] & 0xff, input.length - 1);
    byte[] body = Arrays.copyOfRange(input, 1 + length, input.length);
    ByteOutput head = new ByteOutput();
    head.raw(input, 1, length).u32(ByteInput.checksum(body, 0, body.length));
    head.u32(head.checksum());
    Bytes bytes = head.toBytes();
    SampleColumn samples = new SampleColumn();
    try {
      BlockHead read = BlockHead.read(bytes.toArray(), 0, length + 2 * CHECKSUM_BYTES);
      BlockReader reader = new BlockReader();
      reader.decode(read, null, body, 0, body.length, TimeRange.ALL, samples);
      TimeRange half = new TimeRange(read.first() / 2, read.last() / 2 + 1);
      reader.decode(read, null, body, 0, body.length, half, new SampleColumn());
      describe(bytes, Bytes.of(body), read);
    } catch (DamagedCellException | LaterFormatException e) {
      if (String.valueOf(e.getMessage()).isEmpty()) {
        throw new AssertionError("damaged without a reason", e);
      }
      return;
    }
    again(samples);
  }

  private static void describe(Bytes head, Bytes body, BlockHead read) {
    Bytes row = BlockKey.row(BlockKey.bucket(read.first(), Resolution.MILLISECONDS), 1, 2);
    Bytes qualifier = BlockKey.qualifier(read.first(), 1);
    BlockDescription.ofHead(
        new Cell(row, BlockLayout.HEADS, qualifier, 1, head), Resolution.MILLISECONDS);
    BlockDescription.ofBody(
        new Cell(row, BlockLayout.BODIES, qualifier, 1, body), read, Resolution.MILLISECONDS);
  }

  private static void again(SampleColumn samples) {
    samples.settle(new SampleColumn());
    if (samples.isEmpty()) {
      return;
    }
    BlockWriter writer = new BlockWriter();
    writer.encode(samples, 0, samples.size());
    byte[] head = writer.head().toArray();
    byte[] body = writer.body().toArray();
    SampleColumn decoded = new SampleColumn();
    new BlockReader()
        .decode(
            BlockHead.read(head, 0, head.length),
            null,
            body,
            0,
            body.length,
            TimeRange.ALL,
            decoded);
    if (decoded.size() != samples.size()) {
      throw new AssertionError(samples.size() + " samples became " + decoded.size());
    }
    for (int i = 0; i < samples.size(); i++) {
      boolean same =
          decoded.time(i) == samples.time(i)
              && decoded.kind(i) == samples.kind(i)
              && (samples.kind(i) == Kind.STRING
                  ? Arrays.equals(decoded.textAt(i), samples.textAt(i))
                  : decoded.value(i) == samples.value(i));
      if (!same) {
        throw new AssertionError("sample %d of %d differs".formatted(i, samples.size()));
      }
    }
  }
}
