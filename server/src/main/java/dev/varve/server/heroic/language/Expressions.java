package dev.varve.server.heroic.language;

import dev.varve.server.heroic.language.Expression.Call;
import dev.varve.server.heroic.language.Expression.Everything;
import dev.varve.server.heroic.language.Expression.Instant;
import dev.varve.server.heroic.language.Expression.Items;
import dev.varve.server.heroic.language.Expression.Real;
import dev.varve.server.heroic.language.Expression.Span;
import dev.varve.server.heroic.language.Expression.Text;
import dev.varve.server.heroic.language.Expression.Whole;
import dev.varve.server.heroic.language.Token.Kind;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads expressions. From the tightest: signs, products, sums, {@code by}, and the pipe. Values are
 * computed as they are read.
 */
final class Expressions {
  private static final long DAY = 86_400_000;
  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm[:ss[.SSS]]");
  private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern("uuuu-MM-dd");

  private final Words words;
  private final long now;

  /**
   * Creates a reader.
   *
   * @param now the value of {@code $now}, in ms since 1970
   */
  Expressions(Words words, long now) {
    this.words = words;
    this.now = now;
  }

  /** Reads an expression of any kind. */
  Expression expression() {
    words.enter();
    Expression first = grouped();
    if (words.at(Kind.PIPE)) {
      List<Expression> chain = new ArrayList<>();
      chain.add(first.call());
      while (words.takeIf(Kind.PIPE)) {
        chain.add(grouped().call());
      }
      first = new Call(first.at(), "chain", chain, Map.of());
    }
    words.leave();
    return first;
  }

  private Expression grouped() {
    Expression left = sum();
    int grouped = 0;
    while (words.at(Kind.BY)) {
      Token by = words.take();
      if (++grouped > 20) {
        throw by.error("more than 20 times 'by'");
      }
      Expression of = words.at(Kind.MULTIPLY) ? new Everything(words.take()) : sum();
      left = new Call(left.at(), "group", List.of(of, left.call()), Map.of());
    }
    return left;
  }

  /** Reads an expression that is neither grouped nor piped: a part of a filter. */
  Expression sum() {
    Expression left = product();
    while (words.at(Kind.PLUS) || words.at(Kind.MINUS)) {
      Token operator = words.take();
      left = Arithmetic.of(operator, left, product());
    }
    return left;
  }

  private Expression product() {
    Expression left = primary();
    while (words.at(Kind.DIVIDE) || words.at(Kind.MULTIPLY)) {
      Token operator = words.take();
      left = Arithmetic.of(operator, left, primary());
    }
    return left;
  }

  private Expression primary() {
    Token token = words.peek();
    return switch (token.kind()) {
      case OPEN -> {
        words.take();
        Expression inner = expression();
        words.expect(Kind.CLOSE, "')'");
        yield inner;
      }
      case MINUS -> {
        words.take();
        words.enter();
        Expression negated = Arithmetic.negated(token, primary());
        words.leave();
        yield negated;
      }
      case OPEN_BRACKET, OPEN_CURLY -> bracketed();
      case DURATION -> duration(words.take());
      case INTEGER -> whole(words.take());
      case FLOAT -> new Real(token, Double.parseDouble(words.take().text()));
      case QUOTED, SIMPLE -> new Text(token, words.take().text());
      case IDENTIFIER -> named(words.take());
      case REFERENCE -> {
        words.take();
        if (!token.text().equals("$now")) {
          throw token.error("cannot find reference %s; there is $now".formatted(token.text()));
        }
        yield new Whole(token, now);
      }
      default -> throw words.unexpected("expected a value");
    };
  }

  private static Expression whole(Token token) {
    try {
      return new Whole(token, Long.parseLong(token.text()));
    } catch (NumberFormatException e) {
      throw token.error("'%s' does not fit into 64 bits".formatted(token.text()));
    }
  }

  private static Expression duration(Token token) {
    String text = token.text();
    int digits = text.endsWith("ms") ? text.length() - 2 : text.length() - 1;
    String unit = text.substring(digits);
    long millis =
        switch (unit) {
          case "ms" -> 1;
          case "s" -> 1000;
          case "m" -> 60_000;
          case "h", "H" -> 3_600_000;
          case "d" -> DAY;
          default -> throw token.error("illegal unit: " + unit + "; there are ms, s, m, h and d");
        };
    try {
      return new Span(
          token, Math.multiplyExact(Integer.parseInt(text.substring(0, digits)), millis));
    } catch (NumberFormatException e) {
      throw token.error("'%s' is too long a duration".formatted(text));
    }
  }

  private Expression bracketed() {
    Token open = words.take();
    if (open.is(Kind.OPEN_CURLY) && (words.at(Kind.TIME) || words.at(Kind.DATE_TIME))) {
      Expression time = time(words.take());
      words.expect(Kind.CLOSE_CURLY, "'}'");
      return time;
    }
    Kind close = open.is(Kind.OPEN_CURLY) ? Kind.CLOSE_CURLY : Kind.CLOSE_BRACKET;
    List<Expression> items = new ArrayList<>();
    while (!words.at(close)) {
      if (!items.isEmpty()) {
        words.expect(Kind.COMMA, "',' or the end of the list");
      }
      items.add(expression());
    }
    words.take();
    return new Items(open, items);
  }

  private Expression time(Token token) {
    String text = token.text();
    try {
      if (token.is(Kind.TIME)) {
        long ofDay = LocalTime.parse(text, TIME).toNanoOfDay() / 1_000_000;
        return new Instant(token, Math.floorDiv(now, DAY) * DAY + ofDay);
      }
      int space = text.indexOf(' ');
      LocalDate date = LocalDate.parse(space < 0 ? text : text.substring(0, space), DATE);
      LocalTime time =
          space < 0 ? LocalTime.MIDNIGHT : LocalTime.parse(text.substring(space + 1), TIME);
      return new Instant(token, date.atTime(time).toInstant(ZoneOffset.UTC).toEpochMilli());
    } catch (DateTimeException e) {
      throw token.error("invalid instant: " + text);
    }
  }

  /** Reads what follows a name: arguments, if it is a function. */
  private Expression named(Token name) {
    if (!words.takeIf(Kind.OPEN)) {
      return new Text(name, name.text());
    }
    List<Expression> arguments = new ArrayList<>();
    Map<String, Expression> keywords = new LinkedHashMap<>();
    do {
      Expression one = expression();
      if (one instanceof Text keyword && words.at(Kind.EQUAL)) {
        words.take();
        if (keywords.put(keyword.value(), expression()) != null) {
          throw keyword.error("'%s' is given twice".formatted(keyword.value()));
        }
      } else if (keywords.isEmpty()) {
        arguments.add(one);
      } else {
        throw one.error("arguments without a name come before those with one");
      }
    } while (words.takeIf(Kind.COMMA));
    words.expect(Kind.CLOSE, "',' or ')'");
    return new Call(name, name.text(), arguments, keywords);
  }
}
