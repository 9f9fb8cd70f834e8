package dev.varve.formats.protobuf;

import java.util.concurrent.atomic.AtomicLong;

/** Fuzzes fields of every type, chosen by their numbers, and nested messages. */
public final class WireReaderFuzz {
  private static final int DEPTH_MAX = 50;

  private WireReaderFuzz() {}

  /** Runs one input; called by fuzzers. */
  public static void fuzzerTestOneInput(byte[] input) {
    try {
      long fields = walk(new WireReader(input), 0);
      if (fields > input.length) {
        throw new AssertionError(fields + " fields in " + input.length + " bytes");
      }
    } catch (MalformedMessageException e) {
      if (e.getMessage() == null || e.getMessage().isEmpty()) {
        throw new AssertionError("refused without a reason", e);
      }
    }
  }

  private static long walk(WireReader message, int depth) {
    long fields = 0;
    while (message.next()) {
      fields++;
      switch (message.field() % 6) {
        case 0 -> message.varint();
        case 1 -> message.real();
        case 2 -> message.text();
        case 3 -> {
          WireReader inner = message.message();
          // Inner fields occupy bytes of their own.
          if (depth < DEPTH_MAX) {
            fields += walk(inner, depth + 1);
          }
        }
        case 4 -> {
          AtomicLong sum = new AtomicLong();
          message.eachVarint(sum::addAndGet);
        }
        default -> message.skip();
      }
    }
    return fields;
  }
}
