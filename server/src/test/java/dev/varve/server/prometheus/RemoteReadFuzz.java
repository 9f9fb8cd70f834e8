package dev.varve.server.prometheus;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.varve.engine.error.QueryRefusedException;
import dev.varve.formats.protobuf.MalformedMessageException;
import dev.varve.formats.protobuf.WireReader;
import dev.varve.formats.protobuf.WireWriter;
import dev.varve.query.promql.LabelMatcher;
import dev.varve.server.FuzzIntake;
import dev.varve.server.http.FuzzExchange;
import dev.varve.server.http.HttpError;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.xerial.snappy.Snappy;

/**
 * Fuzzes requests of Prometheus' remote read. A request must be the same after it is printed and
 * read again. Answers as samples and as chunks must contain the same series.
 */
public final class RemoteReadFuzz {
  private static final RemoteRead READ = new RemoteRead(FuzzIntake.context());

  private RemoteReadFuzz() {}

  /** Runs one input; called by fuzzers. */
  public static void fuzzerTestOneInput(byte[] input) throws IOException {
    ReadRequest request;
    try {
      request = ReadRequest.read(input);
    } catch (MalformedMessageException e) {
      if (e.getMessage() == null || e.getMessage().isEmpty()) {
        throw new AssertionError("refused without a reason", e);
      }
      return;
    }
    if (!ReadRequest.read(printed(request)).equals(request)) {
      throw new AssertionError("printed as another request: " + request);
    }
    FuzzIntake.write();
    byte[] samples = answer(new ReadRequest(request.queries(), false));
    byte[] chunks = answer(new ReadRequest(request.queries(), true));
    if (samples == null || chunks == null) {
      if (samples != null || chunks != null) {
        throw new AssertionError("refused as samples or as chunks, not as both: " + request);
      }
      return;
    }
    Set<String> ofSamples = ofSamples(Snappy.uncompress(samples));
    Set<String> ofChunks = ofChunks(ByteBuffer.wrap(chunks));
    if (!ofSamples.equals(ofChunks)) {
      throw new AssertionError("%s as samples, %s as chunks".formatted(ofSamples, ofChunks));
    }
  }

  private static byte[] printed(ReadRequest request) {
    WireWriter message = new WireWriter();
    for (ReadRequest.Query query : request.queries()) {
      WireWriter inner = new WireWriter().varint(1, query.from()).varint(2, query.to());
      for (LabelMatcher matcher : query.matchers()) {
        inner.message(
            3,
            new WireWriter()
                .varint(1, type(matcher.operator()))
                .text(2, matcher.name())
                .text(3, matcher.value()));
      }
      if (query.onlySeries()) {
        inner.message(4, new WireWriter().text(2, "series"));
      }
      message.message(1, inner);
    }
    return message.varint(2, request.streamed() ? 1 : 0).toBytes();
  }

  private static int type(LabelMatcher.Operator operator) {
    return switch (operator) {
      case EQUAL -> 0;
      case NOT_EQUAL -> 1;
      case MATCH -> 2;
      case NO_MATCH -> 3;
    };
  }

  /** Returns the answer; null if the request is rejected. */
  private static byte @Nullable [] answer(ReadRequest request) throws IOException {
    FuzzExchange exchange =
        new FuzzExchange(
            Snappy.compress(printed(request)), Map.of("content-encoding", "snappy"), Map.of());
    try {
      READ.read(exchange);
      return exchange.answered();
    } catch (QueryRefusedException e) {
      return null;
    } catch (HttpError e) {
      if (e.status() >= 500) {
        throw e;
      }
      return null;
    }
  }

  /** Returns the index of the query and the labels of every series. */
  private static Set<String> ofSamples(byte[] answer) {
    Set<String> found = new TreeSet<>();
    WireReader response = new WireReader(answer);
    for (int query = 0; response.next(); query++) {
      WireReader result = response.message();
      while (result.next()) {
        found.add(query + labels(result.message()));
      }
    }
    return found;
  }

  private static Set<String> ofChunks(ByteBuffer frames) {
    Set<String> found = new TreeSet<>();
    while (frames.hasRemaining()) {
      byte[] message = new byte[length(frames)];
      frames.getInt();
      frames.get(message);
      String labels = "";
      long query = 0;
      for (WireReader frame = new WireReader(message); frame.next(); ) {
        if (frame.field() == 1) {
          labels = labels(frame.message());
        } else {
          query = frame.varint();
        }
      }
      found.add(query + labels);
    }
    return found;
  }

  private static int length(ByteBuffer frames) {
    int length = 0;
    int shift = 0;
    byte b;
    do {
      b = frames.get();
      length |= (b & 0x7f) << shift;
      shift += 7;
    } while (b < 0);
    return length;
  }

  private static String labels(WireReader series) {
    List<String> labels = new ArrayList<>();
    while (series.next()) {
      if (series.field() == 1) {
        labels.add(new String(series.bytes(), ISO_8859_1));
      } else {
        series.skip();
      }
    }
    return labels.toString();
  }
}
