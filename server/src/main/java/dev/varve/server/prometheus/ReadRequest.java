package dev.varve.server.prometheus;

import dev.varve.formats.protobuf.MalformedMessageException;
import dev.varve.formats.protobuf.WireReader;
import dev.varve.query.promql.LabelMatcher;
import dev.varve.query.promql.LabelMatcher.Operator;
import java.util.ArrayList;
import java.util.List;

/**
 * A request of remote read ({@code prompb/remote.proto} of Prometheus 3.5).
 *
 * @param streamed whether to answer with a stream of chunks, series by series, instead of one
 *     message of samples
 */
record ReadRequest(List<Query> queries, boolean streamed) {
  private static final int QUERIES_MAX = 1_000;
  private static final int SAMPLES = 0;
  private static final int STREAMED_XOR_CHUNKS = 1;

  /** The hint by which Prometheus asks for series without samples. */
  private static final String ONLY_SERIES = "series";

  ReadRequest {
    queries = List.copyOf(queries);
  }

  /**
   * A query.
   *
   * @param from first time, in ms since 1970
   * @param to last time, inclusive
   * @param onlySeries whether the client wants no samples
   */
  record Query(List<LabelMatcher> matchers, long from, long to, boolean onlySeries) {
    Query {
      matchers = List.copyOf(matchers);
    }
  }

  /*
   *   ReadRequest { repeated Query queries = 1; repeated ResponseType accepted_response_types = 2; }
   *   Query { int64 start_timestamp_ms = 1; int64 end_timestamp_ms = 2; repeated LabelMatcher matchers = 3;
   *           ReadHints hints = 4; }
   *   LabelMatcher { Type type = 1; string name = 2; string value = 3; }
   *   ReadHints { string func = 2; int64 start_ms = 3; int64 end_ms = 4; }
   */
  static ReadRequest read(byte[] bytes) {
    List<Query> queries = new ArrayList<>();
    List<Long> accepted = new ArrayList<>();
    WireReader request = new WireReader(bytes);
    while (request.next()) {
      switch (request.field()) {
        case 1 -> {
          if (queries.size() == QUERIES_MAX) {
            throw new MalformedMessageException(
                "it has more than %,d queries, which is the maximum".formatted(QUERIES_MAX));
          }
          queries.add(query(request.message()));
        }
        case 2 -> request.eachVarint(accepted::add);
        default -> request.skip();
      }
    }
    return new ReadRequest(queries, isStreamed(accepted));
  }

  /** Selects the first supported type. Old clients name none and expect samples. */
  private static boolean isStreamed(List<Long> accepted) {
    for (long kind : accepted) {
      if (kind == SAMPLES || kind == STREAMED_XOR_CHUNKS) {
        return kind == STREAMED_XOR_CHUNKS;
      }
    }
    if (accepted.isEmpty()) {
      return false;
    }
    throw new MalformedMessageException(
        "none of the accepted response types is supported: %s; supported are 0 (samples) and 1 (streamed XOR chunks)"
            .formatted(accepted));
  }

  private static Query query(WireReader query) {
    List<LabelMatcher> matchers = new ArrayList<>();
    long from = 0;
    long to = 0;
    Hints hints = Hints.NONE;
    while (query.next()) {
      switch (query.field()) {
        case 1 -> from = query.varint();
        case 2 -> to = query.varint();
        case 3 -> matchers.add(matcher(query.message()));
        case 4 -> hints = hints(query.message());
        default -> query.skip();
      }
    }
    return hints.hasTimes()
        ? new Query(
            matchers, Math.max(from, hints.from()), Math.min(to, hints.to()), hints.onlySeries())
        : new Query(matchers, from, to, hints.onlySeries());
  }

  private static LabelMatcher matcher(WireReader matcher) {
    long type = 0;
    String name = "";
    String value = "";
    while (matcher.next()) {
      switch (matcher.field()) {
        case 1 -> type = matcher.varint();
        case 2 -> name = matcher.text();
        case 3 -> value = matcher.text();
        default -> matcher.skip();
      }
    }
    return new LabelMatcher(name, operator(type), value);
  }

  private static Operator operator(long type) {
    if (type < 0 || type > 3) {
      throw new MalformedMessageException(
          "a matcher of type %d; 0 to 3 are =, !=, =~ and !~".formatted(type));
    }
    return switch ((int) type) {
      case 0 -> Operator.EQUAL;
      case 1 -> Operator.NOT_EQUAL;
      case 2 -> Operator.MATCH;
      default -> Operator.NO_MATCH;
    };
  }

  /** The client's hints: a query over a long range may need only a part of it. */
  private record Hints(String function, long from, long to) {
    static final Hints NONE = new Hints("", 0, 0);

    boolean onlySeries() {
      return function.equals(ONLY_SERIES);
    }

    boolean hasTimes() {
      return from != 0 || to != 0;
    }
  }

  private static Hints hints(WireReader hints) {
    String function = "";
    long from = 0;
    long to = 0;
    while (hints.next()) {
      switch (hints.field()) {
        case 2 -> function = hints.text();
        case 3 -> from = hints.varint();
        case 4 -> to = hints.varint();
        default -> hints.skip();
      }
    }
    return new Hints(function, from, to);
  }
}
