package dev.varve.server.prometheus;

import dev.varve.server.http.HttpError;
import java.io.IOException;

/** Fuzzes snappy's block format, including the check of the announced length. */
public final class SnappyBlockFuzz {
  private static final long LENGTH_MAX = 1 << 20;

  private SnappyBlockFuzz() {}

  /** Runs one input; called by fuzzers. */
  public static void fuzzerTestOneInput(byte[] input) {
    long[] announced = {-1};
    try {
      byte[] content =
          SnappyBlock.unpack(
              input,
              length -> {
                announced[0] = length;
                if (length > LENGTH_MAX) {
                  throw new HttpError(413, "too long");
                }
              });
      if (content.length != announced[0]) {
        throw new AssertionError("%d bytes, not %d".formatted(content.length, announced[0]));
      }
    } catch (IOException e) {
      // Not a valid block: rejected.
      return;
    } catch (HttpError e) {
      if (announced[0] <= LENGTH_MAX) {
        throw e;
      }
    }
  }
}
