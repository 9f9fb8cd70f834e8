package dev.varve.server.opentsdb;

import dev.varve.server.opentsdb.query.JsonBody;
import dev.varve.server.opentsdb.query.OpenTsdbError;
import dev.varve.server.opentsdb.query.QueryWords;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A request for the newest points of series.
 *
 * @param subs at least one
 * @param resolve whether the answer names the series
 * @param backScan number of hours before the current one in which to look; 0 for all of time
 */
record LastRequest(List<Sub> subs, boolean resolve, long backScan) {
  LastRequest {
    if (subs.isEmpty()) {
      throw new OpenTsdbError(400, "Missing sub queries");
    }
    // OpenTSDB checks it where it reads a TSUID.
    if (backScan < 0 && subs.stream().anyMatch(sub -> !sub.tsuids().isEmpty())) {
      throw OpenTsdbError.amid("Backscan must be zero or a positive number");
    }
  }

  /**
   * The series of a request.
   *
   * @param tsuids empty if the series are named by metric and tags
   */
  record Sub(@Nullable String metric, Map<String, String> tags, List<String> tsuids) {}

  /**
   * Reads the parameters of a URL.
   *
   * @param parameters returns all values of a parameter
   * @throws OpenTsdbError 400 or 500 if the request is malformed
   */
  static LastRequest inUrl(Function<String, List<String>> parameters) {
    long hours = hours(parameters.apply("back_scan"));
    List<Sub> subs = new ArrayList<>();
    for (String series : parameters.apply("timeseries")) {
      if (series.isEmpty()) {
        throw OpenTsdbError.amid("Metric cannot be null or empty");
      }
      Map<String, String> tags = new TreeMap<>();
      try {
        subs.add(new Sub(QueryWords.metricAndTags(series, tags), tags, List.of()));
      } catch (IllegalArgumentException e) {
        throw new OpenTsdbError(500, String.valueOf(e.getMessage()));
      }
    }
    for (String tsuids : parameters.apply("tsuids")) {
      subs.add(new Sub(null, Map.of(), Arrays.asList(tsuids.split(","))));
    }
    return new LastRequest(subs, !parameters.apply("resolve").isEmpty(), hours);
  }

  private static long hours(List<String> backScan) {
    try {
      return backScan.isEmpty() ? 0 : Integer.parseInt(backScan.getFirst());
    } catch (NumberFormatException e) {
      throw new OpenTsdbError(400, "Unable to parse back_scan parameter");
    }
  }

  /**
   * Reads a posted request.
   *
   * @throws OpenTsdbError 400 if it is malformed
   */
  static LastRequest posted(JsonBody body) {
    body.requireOnly("queries", "resolveNames", "backScan");
    List<Sub> subs = new ArrayList<>();
    for (JsonBody sub : body.objects("queries")) {
      sub.requireOnly("metric", "tags", "tsuids");
      List<String> tsuids = sub.texts("tsuids");
      subs.add(new Sub(sub.text("metric"), sub.map("tags"), tsuids == null ? List.of() : tsuids));
    }
    long hours = body.integer("backScan", 0);
    if (hours != (int) hours) {
      throw JsonBody.wrong("'backScan' is a number of hours of 32 bits");
    }
    return new LastRequest(subs, body.is("resolveNames"), hours);
  }
}
