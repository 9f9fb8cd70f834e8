package dev.varve.server.opentsdb.expression;

import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A formula of numbers and variables. It computes as JEXL does in OpenTSDB: a division by zero is
 * zero, whole numbers stay whole until they meet a decimal, and a comparison is 1 or 0.
 */
sealed interface Formula {
  /** A value: whole, decimal or a truth. */
  sealed interface Value {
    double number();

    /** Returns whether it counts as true. */
    default boolean isTrue() {
      return number() != 0;
    }
  }

  record Whole(long value) implements Value {
    @Override
    public double number() {
      return value;
    }
  }

  record Real(double number) implements Value {}

  record Truth(boolean isTrue) implements Value {
    @Override
    public double number() {
      return isTrue ? 1 : 0;
    }
  }

  /**
   * Computes the formula.
   *
   * @param variables a value for each of {@link #variables}
   */
  Value compute(Map<String, Double> variables);

  /** Adds the names of all variables to a set. */
  void addVariables(SortedSet<String> names);

  /** Returns the names of all variables, sorted. */
  default SortedSet<String> variables() {
    SortedSet<String> names = new TreeSet<>();
    addVariables(names);
    return names;
  }

  record Constant(Value value) implements Formula {
    @Override
    public Value compute(Map<String, Double> variables) {
      return value;
    }

    @Override
    public void addVariables(SortedSet<String> names) {}
  }

  record Variable(String name) implements Formula {
    @Override
    public Value compute(Map<String, Double> variables) {
      return new Real(variables.getOrDefault(name, Double.NaN));
    }

    @Override
    public void addVariables(SortedSet<String> names) {
      names.add(name);
    }
  }

  /** A sign. */
  record Negated(Formula of) implements Formula {
    @Override
    public Value compute(Map<String, Double> variables) {
      Value value = of.compute(variables);
      return value instanceof Whole whole ? new Whole(-whole.value()) : new Real(-value.number());
    }

    @Override
    public void addVariables(SortedSet<String> names) {
      of.addVariables(names);
    }
  }

  record Not(Formula of) implements Formula {
    @Override
    public Value compute(Map<String, Double> variables) {
      return new Truth(!of.compute(variables).isTrue());
    }

    @Override
    public void addVariables(SortedSet<String> names) {
      of.addVariables(names);
    }
  }

  record Choice(Formula condition, Formula then, Formula otherwise) implements Formula {
    @Override
    public Value compute(Map<String, Double> variables) {
      return (condition.compute(variables).isTrue() ? then : otherwise).compute(variables);
    }

    @Override
    public void addVariables(SortedSet<String> names) {
      condition.addVariables(names);
      then.addVariables(names);
      otherwise.addVariables(names);
    }
  }

  /** A binary operator. */
  enum Operator {
    ADD,
    SUBTRACT,
    MULTIPLY,
    DIVIDE,
    REMAINDER,
    LESS,
    LESS_OR_EQUAL,
    GREATER,
    GREATER_OR_EQUAL,
    EQUAL,
    NOT_EQUAL,
    AND,
    OR
  }

  record Binary(Operator operator, Formula left, Formula right) implements Formula {
    @Override
    public Value compute(Map<String, Double> variables) {
      Value a = left.compute(variables);
      Value b = right.compute(variables);
      return switch (operator) {
        case ADD, SUBTRACT, MULTIPLY, DIVIDE, REMAINDER ->
            a instanceof Whole x && b instanceof Whole y
                ? new Whole(wholes(x.value(), y.value()))
                : new Real(reals(a.number(), b.number()));
        case LESS -> new Truth(order(a.number(), b.number()) < 0);
        case LESS_OR_EQUAL -> new Truth(order(a.number(), b.number()) <= 0);
        case GREATER -> new Truth(order(a.number(), b.number()) > 0);
        case GREATER_OR_EQUAL -> new Truth(order(a.number(), b.number()) >= 0);
        case EQUAL -> new Truth(order(a.number(), b.number()) == 0);
        case NOT_EQUAL -> new Truth(order(a.number(), b.number()) != 0);
        case AND -> new Truth(a.isTrue() && b.isTrue());
        case OR -> new Truth(a.isTrue() || b.isTrue());
      };
    }

    /** Compares numbers; as in OpenTSDB, NaN equals itself and is below all others. */
    private static int order(double a, double b) {
      if (Double.isNaN(a) || Double.isNaN(b)) {
        return Boolean.compare(Double.isNaN(b), Double.isNaN(a));
      }
      return a < b ? -1 : a > b ? 1 : 0;
    }

    private long wholes(long a, long b) {
      return switch (operator) {
        case ADD -> a + b;
        case SUBTRACT -> a - b;
        case MULTIPLY -> a * b;
        case DIVIDE -> b == 0 ? 0 : a / b;
        default -> b == 0 ? 0 : a % b;
      };
    }

    private double reals(double a, double b) {
      return switch (operator) {
        case ADD -> a + b;
        case SUBTRACT -> a - b;
        case MULTIPLY -> a * b;
        case DIVIDE -> b == 0 ? 0 : a / b;
        default -> b == 0 ? 0 : a % b;
      };
    }

    @Override
    public void addVariables(SortedSet<String> names) {
      left.addVariables(names);
      right.addVariables(names);
    }
  }
}
