package dev.varve.server.graphite;

import dev.varve.formats.text.GraphiteLines;
import dev.varve.formats.text.GraphiteTemplates;
import dev.varve.server.FuzzIntake;
import dev.varve.server.feed.FeedProtocol;
import dev.varve.server.http.Sender;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.time.Clock;

/** Fuzzes one frame of Graphite's pickle protocol. */
public final class PickleFeedFuzz {
  private static final FeedProtocol FEED =
      new FeedProtocol(
          FuzzIntake.context(),
          "fuzz",
          new PickleFeed(dataset ->
              GraphiteLines.of(
                  GraphiteTemplates.NONE,
                  dataset.resolution(),
                  Clock.systemUTC(),
                  !dataset.holdsFields())));

  private PickleFeedFuzz() {}

  /** Runs one input; called by fuzzers. */
  public static void fuzzerTestOneInput(byte[] input) throws IOException {
    byte[] framed =
        ByteBuffer.allocate(Integer.BYTES + input.length).putInt(input.length).put(input).array();
    FEED.serve(
        Sender.ANYONE,
        new ByteArrayInputStream(framed),
        OutputStream.nullOutputStream(),
        FuzzIntake.memory());
  }
}
