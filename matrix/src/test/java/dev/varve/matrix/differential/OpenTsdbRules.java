package dev.varve.matrix.differential;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The differences from OpenTSDB that its page lists. */
final class OpenTsdbRules {
  private static final Pattern MALFORMED =
      Pattern.compile("Unable to parse the given JSON|fasterxml");

  private static final Pattern QUOTED_DIGIT =
      Pattern.compile("value of type `boolean` from String .?\"-?[0-9]");

  private static final Pattern IN_A_TAG = Pattern.compile("When parsing (tag|filter) '");

  private static final Pattern AGGREGATE =
      Pattern.compile("No such name for 'tagv': '(SUM|MAX|MIN|COUNT)'");

  private static final Pattern ILLEGAL_CHARACTER = Pattern.compile("illegal character: ");

  private static final Pattern NULLS =
      Pattern.compile("is null|NullPointerException|index out of range");

  private static final Pattern UNKNOWN = Pattern.compile("No such name for '");

  private static final Pattern UNKNOWN_OF_TAG = Pattern.compile("No such name for 'tag[kv]'");

  private static final Pattern TSUID_OF_ANNOTATION =
      Pattern.compile("^\\.tsuid$|^\\.tsuids\\[|^\\[\\d+]\\.tsuid$|nnotations\\[\\d+]\\.tsuid$");

  private static final Pattern THOUSANDS = Pattern.compile("\"startTime\":171000[0369]000\\b");

  private static final Pattern TSUID = Pattern.compile("\"tsuid\":\"[^\"]*\"");

  private static final Pattern EMPTY_ROW = Pattern.compile("Row length is 0");

  /** What {@code search/lookup} lists at most if a request does not say it. */
  private static final int LOOKUP_LIMIT = 25;

  /** Where one series of an answer to a query ends and the next one begins. */
  private static final Pattern BETWEEN_SERIES = Pattern.compile("(?<=\\}),(?=\\{\"metric\")");

  private OpenTsdbRules() {}

  private static boolean haveTheSameSeries(Case both) {
    return series(both.theirs().body()).equals(series(both.ours().body()));
  }

  /** Returns the series of an answer to a query in the order of their texts. */
  private static List<String> series(String body) {
    boolean isArray = body.startsWith("[") && body.endsWith("]");
    String inside = isArray ? body.substring(1, body.length() - 1) : body;
    return BETWEEN_SERIES.splitAsStream(inside).sorted().toList();
  }

  private static int count(String text, String part) {
    return (text.length() - text.replace(part, "").length()) / part.length();
  }

  /** Returns the TSUIDs of an answer, each once. */
  private static Set<String> tsuids(Answer answer) {
    return TSUID
        .matcher(answer.body())
        .results()
        .map(MatchResult::group)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  static List<Rule> all() {
    List<Rule> all = new ArrayList<>(ofRequests());
    all.addAll(OpenTsdbLineRules.all());
    return all;
  }

  private static List<Rule> ofRequests() {
    return List.of(
        new Rule(
            "| invalid JSON, filter or pattern in a body | 400 |",
            (both, difference) ->
                both.refused(400)
                    && both.says(MALFORMED)
                    && difference.place().equals(".error.details")),
        new Rule(
            "| an unknown name and an unknown value of one tag, or faults of several sub queries |",
            (both, difference) ->
                both.refused(400)
                    && both.says(UNKNOWN_OF_TAG)
                    && UNKNOWN_OF_TAG.matcher(both.ours().body()).find()),
        new Rule(
            "| an unknown name and an unknown value of one tag, or faults of several sub queries |",
            (both, difference) ->
                both.refused(400)
                    && both.request().path().matches(".*[?&]m=.*&m=.*")
                    && both.says(UNKNOWN)
                    && UNKNOWN.matcher(both.ours().body()).find()),
        new Rule(
            "| a digit in quotes instead of true or false |",
            (both, difference) ->
                (both.refused(400) || both.statuses(400, 200)) && both.says(QUOTED_DIGIT)),
        new Rule(
            "what is wrong with a pattern, in Varve's words",
            (both, difference) ->
                both.refused(500)
                    && both.request().contains("regexp")
                    && both.says(IN_A_TAG)
                    && IN_A_TAG.matcher(both.ours().body()).find()),
        new Rule(
            "Metrics and tags may use any alphabet; the layout decides.",
            (both, difference) ->
                both.statuses(400, 200)
                    && (both.request().contains("\u20ac") || both.ours().body().contains("\u20ac"))
                    && both.says(UNKNOWN)),
        new Rule(
            "| a metric of which a delete left nothing |",
            (both, difference) ->
                both.request().has("reads what deletes left")
                    && both.statuses(200, 400)
                    && both.theirs().body().equals("[]")
                    && both.ours().body().contains("No such name for 'metrics': 'zz.")),
        new Rule(
            "| a series that has only annotations in the times |",
            (both, difference) ->
                both.statuses(200, 200)
                    && both.theirs().body().contains("{\"metric\":\"\",\"tags\":{}")),
        new Rule(
            "names of points that it refused, and the aggregators of roll-ups",
            (both, difference) ->
                both.statuses(200, 400) && AGGREGATE.matcher(both.ours().body()).find()),
        new Rule(
            "| a join of `exp` without an operator | 500 |",
            (both, difference) ->
                both.statuses(500, 200)
                    && both.theirs().body().contains("The set operator cannot be null")),
        new Rule(
            "| downsampling to less than a second, with roll-ups | 500 |",
            (both, difference) ->
                both.statuses(400, 500)
                    && both.ours().body().contains("Interval cannot be null or empty")
                    && both.request().contains("lobal")),
        new Rule(
            "| the same metric twice in `divideSeries` or `divide` |",
            (both, difference) -> both.statuses(400, 200) && both.request().contains("divide")),
        new Rule(
            "| filters of `exp` without `tags`, or with `\"tags\": null` |",
            (both, difference) ->
                both.statuses(500, 200)
                    && both.request().has("endpoint POST query/exp")
                    && (both.request().contains("\"tags\":null")
                        || both.request().contains("\"filters\":[{\"id\":\"f1\"}]"))),
        new Rule(
            "fails once a query had a filter that is `null`",
            (both, difference) ->
                both.request().path().equals("/api/stats/query") && both.statuses(500, 200)),
        new Rule(
            "| a failure of the original's own in a body |",
            (both, difference) ->
                both.refused(400)
                    && (both.says(NULLS)
                        || ((both.request().contains("[null") || both.request().contains(",null]"))
                            && both.ours().body().contains("is an array of")))),
        new Rule(
            "| a malformed request to `search/lookup` | 500, 404 |",
            (both, difference) ->
                both.request().path().startsWith("/api/search/lookup")
                    && (both.theirs().status() == 500
                        || (both.statuses(404, 400) && both.request().contains("[null")))),
        new Rule(
            "| `/api/aggregators` | sorted |",
            (both, difference) -> both.request().path().endsWith("/aggregators")),
        new Rule(
            "| a body without `queries` | 400 |",
            (both, difference) ->
                both.statuses(500, 400) && both.request().has("endpoint POST query")),
        // The two servers read their clocks one after the other.
        new Rule(
            "`1h-ago`",
            (both, difference) ->
                both.request().contains("-ago")
                    && both.request().contains("0all")
                    && difference.place().contains(".dps.")),
        new Rule(
            "| no such path | 404 | same message; the `details` are Varve's |",
            (both, difference) -> both.refused(404) && difference.place().equals(".error.details")),
        new Rule(
            "| invalid times, aggregators, downsampling | 400 | same, with the query in `details`",
            (both, difference) ->
                both.refused(400)
                    && difference.place().equals(".error.details")
                    && String.valueOf(difference.theirs()).contains("ds_interval=")),
        // The two servers read their clocks one after the other.
        new Rule(
            "`1h-ago`",
            (both, difference) ->
                both.request().contains("end=&") && difference.place().contains(".dps.")),
        new Rule(
            "| a width in an unknown unit before `c`, such as `30mmc` | 400 |",
            (both, difference) ->
                both.refused(400) && both.ours().body().contains("Unrecognized unit type: mm")),
        new Rule(
            "| a limit of queries | as [documented](../limits.md) |",
            (both, difference) ->
                both.ours().status() == 400
                    && both.ours().body().contains("MiB that a query may hold")),
        new Rule(
            "| a TSUID that is too short | 500 |",
            (both, difference) ->
                both.statuses(400, 500) && both.ours().body().contains("begin 0, end ")),
        new Rule(
            "| | `tsuids` with `tags` or `filters` | different",
            (both, difference) ->
                both.request().has("tsuids in a body")
                    && (both.request().contains("\"tags\"")
                        || both.request().contains("\"filters\""))),
        new Rule(
            "| a malformed request to `exp` | 500 |",
            (both, difference) ->
                both.refused(500) && both.request().has("endpoint POST query/exp")),
        new Rule(
            "| an expression of `exp` that negates a comparison | 500 |",
            (both, difference) ->
                both.statuses(500, 200)
                    && both.request().has("endpoint POST query/exp")
                    && both.request().contains("!(")),
        new Rule(
            "| an empty name or value of a tag in `query/last` | 400, the error of HBase |",
            (both, difference) ->
                both.refused(400)
                    && both.request().path().startsWith("/api/query/last")
                    && both.says(EMPTY_ROW)),
        new Rule(
            "**Order.** The original orders results,",
            (both, difference) ->
                both.statuses(200, 200)
                    && both.request().contains("none")
                    && haveTheSameSeries(both)),
        new Rule(
            "| a malformed expression of `gexp` | 500 |",
            (both, difference) ->
                both.refused(500)
                    && both.request().has("endpoint GET query/gexp")
                    && difference.place().equals(".error.details")),
        new Rule(
            "| `show_stats`, `show_summary` | `showStats`, `showSummary` | fewer figures |",
            (both, difference) ->
                difference.place().contains(".stats") && both.request().contains("how")),
        new Rule(
            "| `show_query` | `showQuery` | same; `filterTagKs` has [other UIDs](#uids-and-tsuids) |",
            (both, difference) -> difference.place().contains(".filterTagKs")),
        new Rule(
            "| `show_tsuids` | `showTSUIDs` | same where the layout keeps UIDs; [other TSUIDs]",
            (both, difference) -> difference.place().contains(".tsuids[")),
        new Rule(
            "| `scalar` | refused with another text |",
            (both, difference) -> both.request().contains("scalar") && both.ours().status() == 400),
        new Rule(
            "| downsampling by `avg` | different: sums divided by counts",
            (both, difference) ->
                both.request().has("roll-ups")
                    && both.request().has("downsampling of roll-ups avg")),
        new Rule(
            "| downsampling by `count` | different: adds the counts",
            (both, difference) ->
                both.request().has("roll-ups")
                    && both.request().has("downsampling of roll-ups count")
                    && difference.place().contains(".dps")),
        new Rule(
            "| the aggregators `avg` and `dev` | different: they work",
            (both, difference) ->
                both.request().has("roll-ups")
                    && (both.request().has("aggregator of roll-ups avg")
                        || both.request().has("aggregator of roll-ups dev"))),
        new Rule(
            "| downsampling by `0all-sum` | different: one value at the start",
            (both, difference) -> both.request().has("downsampling of histograms 0all-sum:")),
        new Rule(
            "points are not counted: `lastReceived` and `totalDatapoints` are 0",
            (both, difference) ->
                both.request().path().startsWith("/api/uid/tsmeta")
                    && (difference.place().endsWith("uid")
                        || difference.place().endsWith(".lastReceived")
                        || difference.place().endsWith(".totalDatapoints")
                        || difference.place().equals(".error.details"))),
        new Rule(
            "| `/api/stats` | different |",
            (both, difference) ->
                both.request().path().equals("/api/stats")
                    && OpenTsdbFigures.ofStats(both.theirs(), both.ours())),
        new Rule(
            "| `/api/stats/jvm` | same form |",
            (both, difference) ->
                both.request().path().equals("/api/stats/jvm")
                    && OpenTsdbFigures.ofJvm(both.theirs(), both.ours())),
        new Rule(
            "| `/api/stats/threads` | different | without stacks |",
            (both, difference) ->
                both.request().path().equals("/api/stats/threads")
                    && OpenTsdbFigures.ofThreads(both.theirs(), both.ours())),
        new Rule(
            "| `/api/stats/query` | different |",
            (both, difference) ->
                both.request().path().equals("/api/stats/query")
                    && (difference.place().startsWith(".completed")
                        || difference.place().startsWith(".running"))),
        new Rule(
            "| `/api/stats/region_clients` | different | an empty list |",
            (both, difference) ->
                both.request().path().equals("/api/stats/region_clients")
                    && OpenTsdbFigures.ofRegionClients(both.theirs(), both.ours())),
        new Rule(
            "| `/api/config` | different |",
            (both, difference) -> both.request().path().equals("/api/config")),
        new Rule(
            "| `/api/config/filters` | different |",
            (both, difference) -> both.request().path().equals("/api/config/filters")),
        new Rule(
            "| `/api/version` | different |",
            (both, difference) -> both.request().path().equals("/api/version")),
        new Rule(
            "| `/api/tree`, `/api/tree/...` | refused, 501 |",
            (both, difference) -> both.request().path().startsWith("/api/tree")),
        new Rule(
            "| `jsonp` anywhere | refused, 400 |",
            (both, difference) -> both.request().contains("jsonp")),
        new Rule(
            "| `/api/v2/...` and higher | 404 instead of 501 | |",
            (both, difference) -> both.request().path().startsWith("/api/v2")),
        new Rule(
            "| `/api/uid/assign` | same where the layout keeps UIDs | elsewhere",
            (both, difference) ->
                both.request().path().startsWith("/api/uid/assign")
                    || (both.request().path().startsWith("/api/suggest")
                        && both.theirs().body().contains("new-"))),
        new Rule(
            "| `GET`, `POST`, `PUT`, `DELETE /api/uid/uidmeta` | same |",
            (both, difference) ->
                both.request().path().startsWith("/api/uid/uidmeta")
                    && (difference.place().equals(".uid")
                        || difference.place().equals(".error.details"))),
        new Rule(
            "| `GET`, `POST /api/query/last` | different | without `back_scan`",
            (both, difference) ->
                both.request().path().startsWith("/api/query/last")
                    && both.statuses(200, 200)
                    && difference.place().isEmpty()),
        new Rule(
            "| `GET`, `POST /api/search/lookup` | different |",
            (both, difference) ->
                both.request().path().startsWith("/api/search/lookup")
                    && both.statuses(200, 200)
                    && (!difference.place().startsWith(".results")
                        || difference.place().endsWith(".tsuid")
                        || both.request().contains("limit")
                        || count(both.theirs().body(), "\"tsuid\":") == LOOKUP_LIMIT
                        || tsuids(both.theirs()).equals(tsuids(both.ours())))),
        new Rule(
            "series of histograms alone are listed only in the layout `opentsdb`",
            (both, difference) ->
                both.request().path().startsWith("/api/search/lookup")
                    && both.says(Pattern.compile("\"metric\":\"hist\\."))),
        new Rule(
            "a `startTime` in seconds that is a multiple of 1000",
            (both, difference) ->
                both.request().path().matches("/api/(annotation|query).*")
                    && (THOUSANDS.matcher(both.theirs().body()).find()
                        || THOUSANDS.matcher(both.ours().body()).find())),
        new Rule(
            "Metrics and tags may use any alphabet; the layout decides.",
            (both, difference) ->
                both.request().has("endpoint POST put")
                    && (both.request().contains("\u20ac") || both.says(ILLEGAL_CHARACTER))
                    && Set.of(".failed", ".success", ".errors").contains(difference.place())),
        new Rule(
            "names of points that it refused",
            (both, difference) ->
                (both.request().path().startsWith("/api/suggest")
                        && both.says(Pattern.compile("\"(0|false)\"")))
                    || (both.statuses(200, 400)
                        && both.ours().body().contains("No such name for 'tagv': '0'"))),
        new Rule(
            "bad timestamp=",
            (both, difference) -> String.valueOf(difference.theirs()).contains("bad timestamp=")),
        new Rule(
            "| a `startTime` below 1, a `tsuid` that is not hexadecimal | 400 where",
            (both, difference) ->
                both.request().path().startsWith("/api/annotation") && both.statuses(500, 400)),
        new Rule(
            "`totalDeleted` counts what was there",
            (both, difference) ->
                both.request().has("endpoint DELETE annotation/bulk")
                    && difference.place().equals(".totalDeleted")),
        new Rule(
            "not every error has `details`",
            (both, difference) ->
                both.request().path().startsWith("/api/annotation")
                    && both.refused(400)
                    && difference.place().equals(".error.details")),
        new Rule(
            "For `/api/annotation/bulk` the message of malformed JSON is Varve's too",
            (both, difference) ->
                both.request().path().startsWith("/api/annotation/bulk")
                    && both.refused(400)
                    && both.says(MALFORMED)
                    && difference.place().equals(".error.message")),
        new Rule(
            "[other TSUIDs](#uids-and-tsuids)",
            (both, difference) -> TSUID_OF_ANNOTATION.matcher(difference.place()).find()));
  }
}
