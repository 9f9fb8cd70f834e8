package dev.varve.server.heroic.language;

import dev.varve.server.heroic.error.HeroicError;
import java.util.List;
import java.util.Map;

/** An expression of Heroic's language, with the word that it begins with. */
public sealed interface Expression {
  /** Returns the first word. */
  Token at();

  record Text(Token at, String value) implements Expression {}

  record Whole(Token at, long value) implements Expression {}

  record Real(Token at, double value) implements Expression {}

  /**
   * A length of time.
   *
   * @param millis may be negative
   */
  record Span(Token at, long millis) implements Expression {}

  /**
   * A point in time.
   *
   * @param millis since 1970
   */
  record Instant(Token at, long millis) implements Expression {}

  record Items(Token at, List<Expression> items) implements Expression {
    public Items {
      items = List.copyOf(items);
    }
  }

  /** A function with its arguments; an aggregation. */
  record Call(Token at, String name, List<Expression> arguments, Map<String, Expression> keywords)
      implements Expression {
    public Call {
      arguments = List.copyOf(arguments);
    }
  }

  /** The {@code *} of {@code by *}, which groups by all tags. */
  record Everything(Token at) implements Expression {}

  /** Returns an error at the first word. */
  default HeroicError error(String message) {
    return at().error(message);
  }

  private HeroicError wrong(String wanted) {
    return error("expected %s, found %s".formatted(wanted, kind()));
  }

  /** Returns what it is, in words. */
  default String kind() {
    return switch (this) {
      case Text text -> "the string '" + text.value() + "'";
      case Whole whole -> "the number " + whole.value();
      case Real real -> "the number " + real.value();
      case Span span -> "the duration of " + span.millis() + " ms";
      case Instant instant -> "the time " + instant.millis();
      case Items items -> "a list";
      case Call call -> "the function '" + call.name() + "'";
      case Everything all -> "'*'";
    };
  }

  /** Returns a string. */
  default String text() {
    if (this instanceof Text text) {
      return text.value();
    }
    throw wrong("a string");
  }

  /** Returns a whole number; the fraction of a number is cut off, and times count in ms. */
  default long whole() {
    return switch (this) {
      case Whole whole -> whole.value();
      case Real real -> (long) real.value();
      case Span span -> span.millis();
      case Instant instant -> instant.millis();
      case Text text -> throw wrong("a number");
      case Items items -> throw wrong("a number");
      case Call call -> throw wrong("a number");
      case Everything all -> throw wrong("a number");
    };
  }

  /** Returns a number. */
  default double real() {
    return this instanceof Real real ? real.value() : (double) whole();
  }

  /** Returns a list; a string counts as a list of itself. */
  default List<Expression> items() {
    return switch (this) {
      case Items items -> items.items();
      case Text text -> List.of(text);
      case Whole whole -> throw wrong("a list");
      case Real real -> throw wrong("a list");
      case Span span -> throw wrong("a list");
      case Instant instant -> throw wrong("a list");
      case Call call -> throw wrong("a list");
      case Everything all -> throw wrong("a list");
    };
  }

  /** Returns a function; a string counts as a function without arguments. */
  default Call call() {
    return switch (this) {
      case Call call -> call;
      case Text text -> new Call(text.at(), text.value(), List.of(), Map.of());
      case Whole whole -> throw wrong("a function");
      case Real real -> throw wrong("a function");
      case Span span -> throw wrong("a function");
      case Instant instant -> throw wrong("a function");
      case Items items -> throw wrong("a function");
      case Everything all -> throw wrong("a function");
    };
  }
}
