package dev.varve.matrix.differential;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The differences from KairosDB that its page lists. */
final class KairosDbRules {
  /** Answers to lines that Varve refuses. */
  private static final Pattern REFUSED_LINES =
      Pattern.compile("\\[\"put[ms]?: (illegal argument|invalid value): .*\"]");

  /** Words of KairosDB's JSON library. */
  private static final Pattern LIBRARY =
      Pattern.compile(
          "IllegalStateException|NumberFormatException|EOFException|MalformedJsonException"
              + "|JsonReader|Cannot read the array");

  /** An aggregator after gaps. */
  private static final Pattern AFTER_GAPS =
      Pattern.compile("\"name\":\"gaps\".*\"name\":\"[a-z_]+\"");

  private static final Pattern LARGE = Pattern.compile("-?9007199254740\\d{3}|-?9\\.00719\\d*E15");

  private static final Pattern ZONE = Pattern.compile("is not a valid time zone");

  private static final Pattern GAPS_TRIM =
      Pattern.compile("\"name\":\"gaps\"[^}]*}[^}]*\"trim\":true");

  private static final Pattern LATER_SERIES =
      Pattern.compile("\\.queries\\[\\d+]\\.results\\[[1-9]\\d*]\\.values");

  private static final Pattern NOTHING = Pattern.compile("\"sample_size\":0,");

  /** Points without a tag, or with one that is not a string. */
  private static final Pattern UNTAGGED =
      Pattern.compile("\"host\":\"\",\"saved_from\":\"\",\"by\":\"\"|\"bogus\":\\[\"1\"]");

  /** A point whose value is in an array. */
  private static final Pattern VALUE_IN_ARRAY = Pattern.compile("\\[\"?-?\\d+\"?,\\[\"[^\"]*\"]");

  /** A query of a metric that a wrong type makes of a name; some writes to it were refused. */
  private static final Pattern NO_TEXT_AS_NAME = Pattern.compile("\"name\":(-?\\d|true|false)");

  private static final Pattern LATER_GROUP_BY = Pattern.compile("\\.group_by\\[[1-9]\\d*]");

  private static final Pattern POINTS = Pattern.compile("\"values\":\\[\\[");

  private KairosDbRules() {}

  /** Returns the rules for Varve with a layout. */
  static List<Rule> all(String layout) {
    List<Rule> all = new ArrayList<>(ofEveryLayout());
    if (!layout.equals("kairosdb")) {
      all.add(
          new Rule(
              "**values of several types at one time**",
              (both, difference) ->
                  both.request().has("reads what was written")
                      && both.statuses(200, 200)
                      && oneTypeIsKept(both)));
    }
    return all;
  }

  /**
   * Returns whether Varve has the same points but for those at a time at which it has one of
   * another type.
   */
  private static boolean oneTypeIsKept(Case both) {
    Map<String, Set<String>> theirs = valuesByTime(both.theirs());
    Map<String, Set<String>> ours = valuesByTime(both.ours());
    return theirs.keySet().equals(ours.keySet())
        && ours.entrySet().stream()
            .allMatch(time ->
                time.getValue().size() == 1
                    && theirs.getOrDefault(time.getKey(), Set.of()).containsAll(time.getValue()));
  }

  /** Returns whether the original has nulls, and otherwise the same points. */
  private static boolean theyHaveNullsBesides(Case both) {
    Map<String, Set<String>> theirs = valuesByTime(both.theirs());
    boolean found = false;
    for (Set<String> values : theirs.values()) {
      found |= values.remove("null");
    }
    theirs.values().removeIf(Set::isEmpty);
    return found && theirs.equals(valuesByTime(both.ours()));
  }

  /** Returns the values of each time of each series. */
  private static Map<String, Set<String>> valuesByTime(Answer answer) {
    Map<String, Set<String>> values = new TreeMap<>();
    for (Object query : list(JsonTree.read(answer.body()), "queries")) {
      for (Object series : list(query, "results")) {
        String tags = JsonTree.write(((Map<?, ?>) series).get("tags"));
        for (Object point : list(series, "values")) {
          List<?> pair = (List<?>) point;
          values
              .computeIfAbsent(tags + pair.getFirst(), none -> new TreeSet<>())
              .add(JsonTree.write(pair.getLast()));
        }
      }
    }
    return values;
  }

  private static List<?> list(@Nullable Object object, String member) {
    return (List<?>)
        Objects.requireNonNull(((Map<?, ?>) Objects.requireNonNull(object)).get(member));
  }

  private static List<Rule> ofEveryLayout() {
    return List.of(
        new Rule(
            "other metrics, and other points of the same metric, are stored",
            (both, difference) ->
                both.request().path().contains("datapoints/query")
                    && both.statuses(200, 200)
                    && NO_TEXT_AS_NAME.matcher(both.request().json()).find()),
        new Rule(
            "| 500 | same status, own text |",
            (both, difference) -> both.refused(500) && !difference.place().equals("status")),
        new Rule(
            "| 400 of JSON syntax | own text, with line and column |",
            (both, difference) -> both.refused(400) && both.says(LIBRARY)),
        new Rule(
            "**a field of a point with the wrong JSON type**",
            (both, difference) ->
                both.request().has("endpoint POST datapoints")
                    && both.theirs().status() / 100 >= 4
                    && both.ours().status() / 100 >= 4
                    && (both.says(LIBRARY) || both.statuses(500, 400))),
        new Rule(
            "**`time_zone` unknown**", (both, difference) -> both.refused(400) && both.says(ZONE)),
        new Rule(
            "**`PUT` of a roll-up, or `POST` with an `id`**",
            (both, difference) ->
                both.request().method().equals("GET")
                    && both.request().path().contains("/rollups")),
        new Rule(
            "**`/metadata/SERVICE`**",
            (both, difference) -> both.request().has("endpoint GET metadata service")),
        new Rule(
            "KairosDB lists them in no fixed order.",
            (both, difference) ->
                both.request().path().contains("/features")
                    && difference.place().contains("properties[")),
        new Rule(
            "| 404, 405 of unknown paths and methods | list what exists |",
            (both, difference) ->
                (both.refused(404) || both.refused(405)) && both.theirs().body().isEmpty()),
        new Rule(
            "| `/version` | `KairosDB 1.3.0 (Varve ...)` |",
            (both, difference) -> difference.place().equals(".version")),
        new Rule(
            "The same names, labels, types and defaults; the descriptions are Varve's.",
            (both, difference) ->
                both.request().path().contains("/features")
                    && Pattern.matches(
                        ".*\\.(description|message|expression)", difference.place())),
        new Rule(
            "**`metricnames`**. KairosDB: in no order",
            (both, difference) -> both.request().path().contains("/metricnames")),
        new Rule(
            "| `/admin/runningqueries`, `/admin/killquery/HASH` | different JSON |",
            (both, difference) -> both.request().path().contains("/admin/")),
        new Rule(
            "**a `type` of `string` for a number**",
            (both, difference) ->
                both.request().has("reads what was written")
                    && String.valueOf(difference.theirs()).matches("\"[-+.0-9eE]+\"")),
        new Rule(
            "**`count`, `first` and `last` after `gaps`**",
            (both, difference) ->
                both.statuses(200, 500) && AFTER_GAPS.matcher(both.request().json()).find()),
        new Rule(
            "**NaN and infinities in a result**",
            (both, difference) ->
                both.statuses(500, 200)
                    && (both.ours().body().contains("null")
                        || both.request().has("aggregator least_squares"))),
        new Rule(
            "**`min`, `max` and `least_squares` of longs beyond 2^53**",
            (both, difference) ->
                difference.place().contains(".values")
                    && difference.theirs() != null
                    && difference.ours() != null
                    && LARGE.matcher(difference.theirs()).matches()
                    && LARGE.matcher(difference.ours()).matches()),
        new Rule(
            "**`tags` of a `group_by` that are no strings**",
            (both, difference) ->
                both.statuses(200, 500) && both.ours().body().contains("is no text of tags")),
        new Rule(
            "400 for a mistake in a later `group_by`",
            (both, difference) ->
                both.statuses(400, 500)
                    && both.says(LATER_GROUP_BY)
                    && both.ours().body().contains("is no text of tags")),
        new Rule(
            "**an `execution_interval` without a unit, of 0 or negative, a sampling of 0**",
            (both, difference) ->
                both.request().path().contains("/rollups") && both.ours().status() == 400),
        new Rule(
            "**a value, time or type inside an array (`[[1000, [1]]]`)**",
            (both, difference) ->
                both.refused(400)
                    && both.says(Pattern.compile("Unregistered data point type"))
                    && both.ours().body().contains("Unregistered data point type ''")),
        new Rule(
            "**a value, time or type inside an array (`[[1000, [1]]]`)**",
            (both, difference) ->
                both.statuses(204, 500)
                    && VALUE_IN_ARRAY.matcher(both.request().json()).find()
                    && both.ours().body().contains("the value is no text")),
        new Rule(
            "**an entry of `datapoints` with a wrong time and no value**",
            (both, difference) ->
                both.refused(400)
                    && both.says(Pattern.compile("value cannot be null or empty"))
                    && both.ours().body().contains("is no number of milliseconds")),
        new Rule(
            "**a negative `limit`**",
            (both, difference) ->
                both.statuses(200, 500)
                    && both.ours().body().contains("limit must be greater than or equal to 0")),
        new Rule(
            "**`gaps` with `trim` in several series**",
            (both, difference) ->
                GAPS_TRIM.matcher(both.request().json()).find()
                    && LATER_SERIES.matcher(difference.place()).matches()
                    && String.valueOf(difference.theirs()).contains("null")),
        new Rule(
            "**`save_as` of a gap**",
            (both, difference) ->
                both.request().has("reads what was saved")
                    && both.statuses(500, 200)
                    && both.says(Pattern.compile("No aggregator can be chained"))),
        new Rule(
            "**`save_as` of a gap**",
            (both, difference) ->
                both.request().has("reads what was saved")
                    && both.statuses(200, 200)
                    && theyHaveNullsBesides(both)),
        new Rule(
            "**`sma` with a `size` below 1, without a point**",
            (both, difference) ->
                both.request().has("aggregator sma")
                    && both.statuses(500, 200)
                    && !POINTS.matcher(both.ours().body()).find()),
        new Rule(
            "**a threshold that is `null`, or whose `boundary`",
            (both, difference) ->
                both.statuses(400, 500)
                    && both.says(Pattern.compile("ScoreAggregator:setThresholds failed"))
                    && both.ours().body().contains("a threshold of a score may not be null")),
        new Rule(
            "**`skip_validate` without a name and without a point**",
            (both, difference) ->
                both.statuses(204, 400)
                    && both.request().contains("\"skip_validate\":true")
                    && both.ours().body().contains(".name may not be null")),
        new Rule(
            "**`save_as` without any tag, or with a tag that is no string**",
            (both, difference) ->
                both.request().has("reads what was saved")
                    && both.says(NOTHING)
                    && UNTAGGED.matcher(both.ours().body()).find()),
        new Rule(
            "**`save_as` with a tag that is a list or an object**",
            (both, difference) ->
                both.statuses(200, 500) && both.ours().body().contains("save_as cannot write tag")),
        new Rule(
            "KairosDB: a `put` may lack tags and gets `add=tag`",
            (both, difference) ->
                both.request().has("reads lines")
                    && both.theirs().body().contains("\"add\":[\"tag\"]")
                    && !both.ours().body().contains("\"add\"")),
        new Rule(
            "text is ISO-8859-1 and errors are not answered",
            (both, difference) ->
                both.request().method().equals(Server.LINES)
                    && both.theirs().body().equals("[]")
                    && REFUSED_LINES.matcher(both.ours().body()).matches()),
        new Rule(
            "**the status of a roll-up**",
            (both, difference) ->
                both.request().has("endpoint GET rollups/status id")
                    && both.ours().status() == 200
                    && (both.theirs().status() == 404 || !difference.place().equals("status"))),
        new Rule(
            "**`least_squares` over few or equal times**",
            (both, difference) ->
                both.request().has("aggregator least_squares")
                    && difference.place().contains(".values")));
  }
}
