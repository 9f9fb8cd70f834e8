package dev.varve.rules.template;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.varve.model.PatternSize;
import dev.varve.query.promql.Durations;
import dev.varve.query.promql.Quoting;
import dev.varve.query.promql.eval.GroupTemplate;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The functions of templates, from Go and from Prometheus. */
final class Functions {
  /** Type of a parameter. */
  private enum Type {
    ANY("interface {}"),
    TEXT("string"),
    SAMPLE("*template.sample"),
    VECTOR("template.queryResult");

    private final String goName;

    Type(String goName) {
      this.goName = goName;
    }

    boolean takes(@Nullable Object value) {
      return switch (this) {
        case ANY -> true;
        case TEXT -> value instanceof String;
        case SAMPLE -> value instanceof Template.Sample;
        case VECTOR -> value instanceof List<?>;
      };
    }
  }

  /**
   * Parameters of a function.
   *
   * @param rest type of all further arguments; null if there are none
   */
  private record Signature(List<Type> types, @Nullable Type rest) {}

  private static final Map<String, Signature> SIGNATURES = signatures();

  static final Set<String> NAMES = names();

  /** Functions of Prometheus that are not supported, with a reason or a replacement. */
  static final Map<String, String> NOT_SUPPORTED =
      Map.of(
          "call", "there are no values that are functions",
          "js", "annotations are no scripts",
          "toTime", "humanizeTimestamp writes a time",
          "tmpl", "Prometheus has it in consoles alone");

  private final Template.Environment environment;

  Functions(Template.Environment environment) {
    this.environment = environment;
  }

  private static Set<String> names() {
    Set<String> names = new TreeSet<>(SIGNATURES.keySet());
    names.add("and");
    names.add("or");
    return names;
  }

  private static Map<String, Signature> signatures() {
    Map<String, Signature> all = new TreeMap<>();
    for (String name :
        List.of(
            "match:TT",
            "reReplaceAll:TTT",
            "title:T",
            "toUpper:T",
            "toLower:T",
            "graphLink:T",
            "tableLink:T",
            "stripPort:T",
            "stripDomain:T",
            "parseDuration:T",
            "safeHtml:T",
            "query:T",
            "first:V",
            "value:S",
            "strvalue:S",
            "label:TS",
            "sortByLabel:TV",
            "humanize:A",
            "humanize1024:A",
            "humanizeDuration:A",
            "humanizePercentage:A",
            "humanizeTimestamp:A",
            "pathPrefix:",
            "externalURL:",
            "args:*",
            "not:A",
            "len:A",
            "index:A*",
            "slice:A*",
            "print:*",
            "printf:T*",
            "println:*",
            "html:*",
            "urlquery:*",
            "eq:A*",
            "ne:AA",
            "lt:AA",
            "le:AA",
            "gt:AA",
            "ge:AA")) {
      int colon = name.indexOf(':');
      List<Type> types = new ArrayList<>();
      Type rest = null;
      for (char c : name.substring(colon + 1).toCharArray()) {
        switch (c) {
          case 'T' -> types.add(Type.TEXT);
          case 'S' -> types.add(Type.SAMPLE);
          case 'V' -> types.add(Type.VECTOR);
          case 'A' -> types.add(Type.ANY);
          default -> rest = Type.ANY;
        }
      }
      all.put(name.substring(0, colon), new Signature(types, rest));
    }
    return all;
  }

  /** Checks the number of arguments. */
  static void checkCount(String name, int count) throws Failure.Refused {
    Signature signature = signature(name);
    int wanted = signature.types().size();
    if (signature.rest() != null ? count < wanted : count != wanted) {
      throw new Failure.Refused(
          "wrong number of args for %s: want %s%d got %d"
              .formatted(name, signature.rest() != null ? "at least " : "", wanted, count));
    }
  }

  /**
   * Checks the type of an argument.
   *
   * @param constant the source text of a constant argument; null for others
   */
  static void checkType(String name, int index, @Nullable Object value, @Nullable String constant)
      throws Failure.Refused {
    Signature signature = signature(name);
    Type type = index < signature.types().size() ? signature.types().get(index) : Type.ANY;
    if (type.takes(value)) {
      return;
    }
    if ("nil".equals(constant)) {
      if (type == Type.TEXT) {
        throw new Failure.Refused("cannot assign nil to string");
      }
      return;
    }
    if (constant != null) {
      throw new Failure.Refused(
          type == Type.TEXT
              ? "expected string; found " + constant
              : "can't handle %s for arg of type %s".formatted(constant, type.goName));
    }
    throw new Failure.Refused(
        value == null
            ? "invalid value; expected " + type.goName
            : "wrong type for value; expected %s; got %s"
                .formatted(type.goName, Values.type(value)));
  }

  private static Signature signature(String name) {
    return Objects.requireNonNull(SIGNATURES.get(name), name);
  }

  static Failure.Refused tooLong() {
    return new Failure.Refused(
        "the text is longer than the limit of %,d characters".formatted(Template.OUTPUT_MAX));
  }

  /** Calls a function. The arguments must have been checked. */
  @Nullable Object call(String name, List<@Nullable Object> arguments) throws Failure.Refused {
    return switch (name) {
      case "match" -> pattern(text(arguments, 0)).matcher(text(arguments, 1)).find();
      case "reReplaceAll" -> replaceAll(text(arguments, 0), text(arguments, 1), text(arguments, 2));
      case "title" -> Title.of(text(arguments, 0));
      case "toUpper" -> text(arguments, 0).toUpperCase(Locale.ROOT);
      case "toLower" -> text(arguments, 0).toLowerCase(Locale.ROOT);
      case "graphLink" -> link(text(arguments, 0), 0);
      case "tableLink" -> link(text(arguments, 0), 1);
      case "stripPort" -> HostPort.stripPort(text(arguments, 0));
      case "stripDomain" -> HostPort.stripDomain(text(arguments, 0));
      case "parseDuration" -> duration(text(arguments, 0));
      case "safeHtml" -> arguments.getFirst();
      case "query" -> environment.query(text(arguments, 0));
      case "first" -> first(vector(arguments, 0));
      case "value" -> sample(arguments, 0).value();
      case "strvalue" -> sample(arguments, 0).labels().getOrDefault("__value__", "");
      case "label" -> sample(arguments, 1).labels().getOrDefault(text(arguments, 0), "");
      case "sortByLabel" -> sorted(text(arguments, 0), vector(arguments, 1));
      case "humanize" -> Humanized.number(number(arguments.getFirst()));
      case "humanize1024" -> Humanized.number1024(number(arguments.getFirst()));
      case "humanizeDuration" -> Humanized.duration(number(arguments.getFirst()));
      case "humanizePercentage" -> Humanized.percentage(number(arguments.getFirst()));
      case "humanizeTimestamp" -> Humanized.timestamp(number(arguments.getFirst()));
      case "pathPrefix" -> environment.externalUrl().getPath();
      case "externalURL" -> environment.externalUrl().toString();
      case "args" -> arguments(arguments);
      case "not" -> !Values.truth(arguments.getFirst());
      case "len" -> length(arguments.getFirst());
      case "index" -> Elements.index(arguments);
      case "slice" -> Elements.slice(arguments);
      case "print" -> print(arguments);
      case "printf" -> Printf.print(text(arguments, 0), arguments.subList(1, arguments.size()));
      case "println" ->
          arguments.stream().map(Values::text).collect(Collectors.joining(" ", "", "\n"));
      case "html" -> html(print(arguments));
      case "urlquery" -> escaped(print(arguments));
      default -> Comparison.of(name, arguments);
    };
  }

  private static String text(List<@Nullable Object> arguments, int index) {
    return (String) Objects.requireNonNull(arguments.get(index));
  }

  private static Template.Sample sample(List<@Nullable Object> arguments, int index)
      throws Failure.Refused {
    if (arguments.get(index) instanceof Template.Sample sample) {
      return sample;
    }
    throw new Failure.Refused("nil is no sample");
  }

  private static List<Template.Sample> vector(List<@Nullable Object> arguments, int index) {
    List<Template.Sample> samples = new ArrayList<>();
    if (arguments.get(index) instanceof List<?> list) {
      for (Object sample : list) {
        samples.add((Template.Sample) Objects.requireNonNull(sample));
      }
    }
    return samples;
  }

  private static Template.Sample first(List<Template.Sample> vector) throws Failure.Refused {
    if (vector.isEmpty()) {
      throw new Failure.Refused("first() called on vector with no elements");
    }
    return vector.getFirst();
  }

  private static List<Template.Sample> sorted(String label, List<Template.Sample> vector) {
    vector.sort(Comparator.comparing(sample -> sample.labels().getOrDefault(label, "")));
    return vector;
  }

  private static Values.ArgumentMap arguments(List<@Nullable Object> arguments) {
    Map<String, Object> named = new TreeMap<>();
    for (int i = 0; i < arguments.size(); i++) {
      Object value = arguments.get(i);
      if (value != null) {
        named.put("arg" + i, value);
      }
    }
    return new Values.ArgumentMap(named);
  }

  private static double number(@Nullable Object value) throws Failure.Refused {
    return switch (value) {
      case Double real -> real;
      case Long whole -> whole;
      case String text -> parsed(text);
      case null, default ->
          throw new Failure.Refused("can't convert %s to float".formatted(Values.type(value)));
    };
  }

  private static double parsed(String text) throws Failure.Refused {
    String lower = text.toLowerCase(Locale.ROOT);
    return switch (lower) {
      case "inf", "+inf", "infinity", "+infinity" -> Double.POSITIVE_INFINITY;
      case "-inf", "-infinity" -> Double.NEGATIVE_INFINITY;
      case "nan" -> Double.NaN;
      default -> decimal(text);
    };
  }

  private static double decimal(String text) throws Failure.Refused {
    if (!text.matches("[-+]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)?")) {
      throw new Failure.Refused(parsing(text) + "invalid syntax");
    }
    double value = Double.parseDouble(text);
    if (Double.isInfinite(value)) {
      throw new Failure.Refused(parsing(text) + "value out of range");
    }
    return value;
  }

  private static String parsing(String text) {
    return "strconv.ParseFloat: parsing " + Quoting.quoted(text) + ": ";
  }

  private static Double duration(String text) throws Failure.Refused {
    try {
      return text.equals("0") ? 0.0 : Durations.parse(text).toMillis() / 1000.0;
    } catch (IllegalArgumentException e) {
      throw new Failure.Refused(String.valueOf(e.getMessage()));
    }
  }

  static String link(String expression, int tab) {
    return "/graph?g0.expr=%s&g0.tab=%d".formatted(escaped(expression), tab);
  }

  /** Escapes a text for the query of a URL, as Go does. */
  private static String escaped(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("*", "%2A").replace("%7E", "~");
  }

  private static Pattern pattern(String pattern) throws Failure.Refused {
    try {
      PatternSize.check(pattern);
      return Pattern.compile(pattern);
    } catch (PatternSyntaxException e) {
      throw new Failure.Refused(
          "error parsing regexp: %s: `%s`".formatted(e.getDescription(), e.getPattern()));
    } catch (IllegalArgumentException e) {
      throw new Failure.Refused(String.valueOf(e.getMessage()));
    }
  }

  private static Pattern compiled(String pattern) throws Failure.Refused {
    try {
      return pattern(pattern);
    } catch (Failure.Refused e) {
      throw new Failure.Refused("regexp: Compile(`%s`): %s".formatted(pattern, e.getMessage()));
    }
  }

  private static String replaceAll(String pattern, String replacement, String text)
      throws Failure.Refused {
    Matcher matcher = compiled(pattern).matcher(text);
    GroupTemplate groups = new GroupTemplate(replacement, matcher.pattern());
    StringBuilder out = new StringBuilder();
    int at = 0;
    while (matcher.find()) {
      // Go ignores an empty match directly after another match.
      if (matcher.end() == matcher.start() && matcher.start() == at && at > 0) {
        continue;
      }
      out.append(text, at, matcher.start()).append(groups.expand(matcher));
      at = matcher.end();
      if (out.length() > Template.OUTPUT_MAX) {
        throw tooLong();
      }
    }
    return out.append(text, at, text.length()).toString();
  }

  private static Long length(@Nullable Object value) throws Failure.Refused {
    return switch (value) {
      case String text -> (long) text.getBytes(StandardCharsets.UTF_8).length;
      case Values.ArgumentMap arguments -> (long) arguments.values().size();
      case Map<?, ?> map -> (long) map.size();
      case List<?> list -> (long) list.size();
      case null -> throw new Failure.Refused("len of nil pointer");
      default -> throw new Failure.Refused("len of type " + Values.type(value));
    };
  }

  /** Inserts a space between two neighbours if neither is a text. */
  private static String print(List<@Nullable Object> arguments) {
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < arguments.size(); i++) {
      Object value = arguments.get(i);
      if (i > 0 && !(value instanceof String) && !(arguments.get(i - 1) instanceof String)) {
        out.append(' ');
      }
      out.append(value == null ? "<nil>" : Values.text(value));
    }
    return out.toString();
  }

  private static String html(String text) {
    return text.replace("&", "&amp;")
        .replace("\"", "&#34;")
        .replace("'", "&#39;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\u0000", "\uFFFD");
  }
}
