package dev.varve.layout.block;

import java.util.function.BiConsumer;

/** Reads the columns of a body that was decoded before, and names their parts. */
final class ColumnParts {
  private static final int SPLIT = 255;
  private static final int SIGNED = 128;
  private static final int DIVIDED = 4;
  private static final int MODEL = 3;

  private final ByteInput in;
  private final BiConsumer<String, String> part;

  /**
   * @param part receives a label and a text for the bytes read since the call before
   */
  ColumnParts(ByteInput in, BiConsumer<String, String> part) {
    this.in = in;
    this.part = part;
  }

  /** Names the parts of a {@link LongColumn}. */
  void longs(String name, int count) {
    int code = in.u8();
    int model = code & MODEL;
    part.accept(name + ": model", model(model));
    if ((code & DIVIDED) != 0) {
      part.accept(name + ": factor", "divided by " + in.varint());
    }
    for (int at = 0; at < count; at += BitPacking.VECTOR + model) {
      int length = Math.min(BitPacking.VECTOR + model, count - at);
      int leading = Math.min(model, length);
      if (at > 0 && leading > 0 && in.u8() == 0) {
        part.accept(name + ": leading", "as expected");
      } else {
        for (int i = 0; i < leading; i++) {
          part.accept(name + (i == 0 ? ": first" : ": first delta"), leading(at, in.signed()));
        }
      }
      if (length > leading) {
        vector(name, length - leading);
      }
    }
  }

  private static String leading(int at, long number) {
    return at == 0 ? String.valueOf(number) : number + " more than expected";
  }

  private static String model(int model) {
    return switch (model) {
      case 0 -> "the numbers as they are";
      case 1 -> "their deltas";
      default -> "deltas of their deltas";
    };
  }

  private void vector(String name, int count) {
    int code = in.u8();
    int width = code & ~SIGNED;
    boolean signed = (code & SIGNED) != 0;
    part.accept(name + ": width", width + (signed ? " bits each, as zigzag" : " bits each"));
    if (!signed) {
      part.accept(name + ": smallest", String.valueOf(in.signed()));
    }
    int patches = in.count(count);
    for (int i = 0; i < patches; i++) {
      in.u16();
      in.varint();
    }
    part.accept(name + ": wider", patches + " numbers");
    BitPacking.unpack(in, count, width, new long[BitPacking.VECTOR], 0);
    part.accept(name + ": packed", count + " numbers");
  }

  /** Names the parts of a {@link DoubleColumn}. */
  void doubles(int count) {
    int form = in.u8();
    if (form == SPLIT) {
      part.accept("doubles: form", "bits, in two columns");
      longs("upper 16 bits", count);
      longs("lower 48 bits", count);
      return;
    }
    part.accept("doubles: form", "integers divided by 10^" + form);
    int exceptions = in.count(count);
    for (int i = 0; i < exceptions; i++) {
      in.varint();
      in.i64();
    }
    part.accept("doubles: exceptions", exceptions + " doubles bit for bit");
    longs("integers", count);
  }

  /** Names the parts of the strings of a block. */
  void texts(int count) {
    int different = in.count(count);
    part.accept("strings: different", String.valueOf(different));
    longs("lengths", different);
    longs("indexes", count);
    int bytes = in.left();
    in.skip(bytes);
    part.accept("strings", bytes + " bytes of UTF-8");
  }
}
