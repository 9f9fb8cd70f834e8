package dev.varve.server.heroic.filter;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.varve.model.PatternSize;
import dev.varve.server.heroic.error.HeroicError;
import dev.varve.server.heroic.json.Node;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import tools.jackson.core.JsonGenerator;

/** Filters as JSON: arrays that begin with an operator, and objects with a {@code type}. */
public final class FilterJson {
  /** Terms of all filters of a request; each takes part in every test of a series. */
  private static final int TERMS_MAX = 10_000;

  private final Function<String, Filter> language;
  private int terms;

  /**
   * Creates a reader.
   *
   * @param language reads filters of Heroic's language, for {@code ["q", "..."]}
   */
  public FilterJson(Function<String, Filter> language) {
    this.language = language;
  }

  /**
   * Reads a filter and normalises it.
   *
   * @throws HeroicError if the value is not a filter
   */
  public Filter read(Node node) {
    return FilterRewrite.normalised(filter(node));
  }

  private Filter filter(Node node) {
    if (++terms > TERMS_MAX) {
      throw HeroicError.json("a filter has at most %,d terms".formatted(TERMS_MAX), node.path());
    }
    if (node.isArray()) {
      return ofArray(node);
    }
    if (node.isObject()) {
      return ofObject(node);
    }
    throw node.wrong("a filter: an array or an object");
  }

  private Filter ofArray(Node node) {
    List<Node> parts = node.array();
    if (parts.isEmpty()) {
      throw HeroicError.json("expected an operator, found an empty array", node.path());
    }
    String operator = parts.getFirst().text();
    List<Node> rest = parts.subList(1, parts.size());
    return switch (operator) {
      case "and" -> new Filter.And(all(rest));
      case "or" -> new Filter.Or(all(rest));
      case "not" -> new Filter.Not(filter(arguments(node, operator, rest, 1).getFirst()));
      case "key" -> new Filter.MatchKey(arguments(node, operator, rest, 1).getFirst().text());
      case "+" -> new Filter.HasTag(arguments(node, operator, rest, 1).getFirst().text());
      case "q" -> language.apply(arguments(node, operator, rest, 1).getFirst().text());
      case "=" -> {
        arguments(node, operator, rest, 2);
        yield new Filter.MatchTag(rest.getFirst().text(), rest.getLast().text());
      }
      case "^" -> {
        arguments(node, operator, rest, 2);
        yield new Filter.StartsWith(rest.getFirst().text(), rest.getLast().text());
      }
      case "~" -> {
        arguments(node, operator, rest, 2);
        yield regex(rest.getFirst().text(), rest.getLast());
      }
      case "true" -> {
        arguments(node, operator, rest, 0);
        yield new Filter.True();
      }
      case "false" -> {
        arguments(node, operator, rest, 0);
        yield new Filter.False();
      }
      default ->
          throw HeroicError.json(
              "no such operator: '%s'; there are and, or, not, key, =, +, ^, ~, q, true and false"
                  .formatted(operator),
              parts.getFirst().path());
    };
  }

  private static List<Node> arguments(Node node, String operator, List<Node> rest, int wanted) {
    if (rest.size() != wanted) {
      throw HeroicError.json(
          "'%s' takes %d arguments, not %d".formatted(operator, wanted, rest.size()), node.path());
    }
    return rest;
  }

  private Filter ofObject(Node node) {
    Node type = node.required("type");
    return switch (type.text()) {
      case "and" -> new Filter.And(all(node.required("filters").array()));
      case "or" -> new Filter.Or(all(node.required("filters").array()));
      case "not" -> new Filter.Not(filter(node.required("filter")));
      case "key" -> new Filter.MatchKey(node.required("key").text());
      case "matchTag" ->
          new Filter.MatchTag(node.required("tag").text(), node.required("value").text());
      case "hasTag" -> new Filter.HasTag(node.required("tag").text());
      case "startsWith" ->
          new Filter.StartsWith(node.required("tag").text(), node.required("value").text());
      case "regex" -> regex(node.required("tag").text(), node.required("value"));
      case "raw" -> language.apply(node.required("filter").text());
      case "true" -> new Filter.True();
      case "false" -> new Filter.False();
      default -> throw HeroicError.json("no such type: '" + type.text() + "'", type.path());
    };
  }

  private List<Filter> all(List<Node> nodes) {
    List<Filter> filters = new ArrayList<>();
    nodes.forEach(node -> filters.add(filter(node)));
    return filters;
  }

  private static Filter regex(String tag, Node pattern) {
    try {
      return regex(tag, pattern.text());
    } catch (IllegalArgumentException e) {
      throw HeroicError.json(String.valueOf(e.getMessage()), pattern.path());
    }
  }

  /**
   * Returns a filter by pattern.
   *
   * @throws IllegalArgumentException if the pattern is too large or not of RE2 syntax
   */
  public static Filter regex(String tag, String pattern) {
    PatternSize.check(pattern);
    try {
      Pattern.compile(pattern);
    } catch (PatternSyntaxException e) {
      throw new IllegalArgumentException(
          "'%s' is no regular expression of RE2 syntax: %s".formatted(pattern, e.getDescription()),
          e);
    }
    return new Filter.Regex(tag, pattern);
  }

  /** Writes a filter as an array. */
  public static void write(Filter filter, JsonGenerator json) {
    json.writeStartArray();
    json.writeString(FilterOrder.operator(filter));
    FilterOrder.texts(filter).forEach(json::writeString);
    FilterOrder.terms(filter).forEach(term -> write(term, json));
    json.writeEndArray();
  }
}
