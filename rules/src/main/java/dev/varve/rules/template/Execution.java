package dev.varve.rules.template;

import dev.varve.rules.template.Node.Command;
import dev.varve.rules.template.Node.Operand;
import dev.varve.rules.template.Node.Pipe;
import dev.varve.rules.template.Node.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One expansion of a template. */
final class Execution {
  /** Maximum number of evaluation steps: enough for any text, and quickly done. */
  private static final int STEPS_MAX = 100_000;

  /** The outcome of the execution of a body. */
  private enum Ended {
    DONE,
    BREAK,
    CONTINUE
  }

  private static final class Variable {
    private final String name;
    private @Nullable Object value;

    Variable(String name, @Nullable Object value) {
      this.name = name;
      this.value = value;
    }
  }

  /** A check of the operands of a function. */
  @FunctionalInterface
  private interface Check {
    void run() throws Failure.Refused;
  }

  private final Failure.Source source;
  private final Template.Data data;
  private final Functions functions;
  private final List<Variable> variables = new ArrayList<>();
  private final StringBuilder out = new StringBuilder();
  private int steps;

  Execution(Failure.Source source, Template.Data data, Functions functions) {
    this.source = source;
    this.data = data;
    this.functions = functions;
    variables.add(new Variable("$", data));
  }

  String run(List<Statement> body) throws TemplateException {
    body(body, data);
    return out.toString();
  }

  private Ended body(List<Statement> body, @Nullable Object dot) throws TemplateException {
    int mark = variables.size();
    Ended ended = Ended.DONE;
    for (Statement statement : body) {
      ended = statement(statement, dot);
      if (ended != Ended.DONE) {
        break;
      }
    }
    forget(mark);
    return ended;
  }

  private void forget(int mark) {
    variables.subList(mark, variables.size()).clear();
  }

  private Ended statement(Statement statement, @Nullable Object dot) throws TemplateException {
    step(statement);
    switch (statement) {
      case Node.Text text -> write(statement, text.text());
      case Node.Action action -> {
        Object value = pipe(action.pipe(), dot);
        if (action.pipe().variables().isEmpty()) {
          write(statement, Values.text(value));
        }
      }
      case Node.Branch branch -> {
        int mark = variables.size();
        Ended ended = branch(branch, dot);
        forget(mark);
        return ended;
      }
      case Node.Jump jump -> {
        return jump.out() ? Ended.BREAK : Ended.CONTINUE;
      }
    }
    return Ended.DONE;
  }

  private void step(Node node) throws TemplateException {
    if (++steps > STEPS_MAX) {
      throw source.failed(
          node, "the template needs more than the limit of %,d steps".formatted(STEPS_MAX));
    }
  }

  private void write(Node node, String text) throws TemplateException {
    out.append(text);
    if (out.length() > Template.OUTPUT_MAX) {
      throw source.failed(node, String.valueOf(Functions.tooLong().getMessage()));
    }
  }

  private Ended branch(Node.Branch branch, @Nullable Object dot) throws TemplateException {
    Object value = pipe(branch.pipe(), dot);
    return switch (branch.kind()) {
      case IF -> body(Values.truth(value) ? branch.body() : branch.otherwise(), dot);
      case WITH -> Values.truth(value) ? body(branch.body(), value) : body(branch.otherwise(), dot);
      case RANGE -> range(branch, value, dot);
    };
  }

  private Ended range(Node.Branch branch, @Nullable Object over, @Nullable Object dot)
      throws TemplateException {
    boolean any = false;
    switch (over) {
      case null -> {}
      case Long count -> {
        for (long i = 0; i < count; i++) {
          any = true;
          if (once(branch, i, i) == Ended.BREAK) {
            break;
          }
        }
      }
      case List<?> list -> {
        for (int i = 0; i < list.size(); i++) {
          any = true;
          if (once(branch, (long) i, list.get(i)) == Ended.BREAK) {
            break;
          }
        }
      }
      case Map<?, ?> map -> any = each(branch, map);
      case Values.ArgumentMap arguments -> any = each(branch, arguments.values());
      default ->
          throw source.failed(branch.pipe(), "range can't iterate over " + Values.text(over));
    }
    return any ? Ended.DONE : body(branch.otherwise(), dot);
  }

  private boolean each(Node.Branch branch, Map<?, ?> map) throws TemplateException {
    for (Map.Entry<Object, Object> entry : new TreeMap<Object, Object>(map).entrySet()) {
      if (once(branch, entry.getKey(), entry.getValue()) == Ended.BREAK) {
        break;
      }
    }
    return !map.isEmpty();
  }

  private Ended once(Node.Branch branch, Object index, @Nullable Object element)
      throws TemplateException {
    step(branch);
    List<String> names = branch.pipe().variables();
    if (!names.isEmpty()) {
      set(branch.pipe(), names.getLast(), element);
    }
    if (names.size() > 1) {
      set(branch.pipe(), names.getFirst(), index);
    }
    return body(branch.body(), element);
  }

  private void set(Node by, String name, @Nullable Object value) throws TemplateException {
    existing(by, name).value = value;
  }

  /**
   * Returns a variable.
   *
   * @throws TemplateException if the variable is not set. The parser only checks that a declaration
   *     precedes the use, not that it was executed
   */
  private Variable existing(Node by, String name) throws TemplateException {
    Variable variable = variable(name);
    if (variable == null) {
      throw source.failed(by, "undefined variable: " + name);
    }
    return variable;
  }

  /** Returns the last variable of that name; null if there is none. */
  private @Nullable Variable variable(String name) {
    for (int i = variables.size() - 1; i >= 0; i--) {
      if (variables.get(i).name.equals(name)) {
        return variables.get(i);
      }
    }
    return null;
  }

  private @Nullable Object pipe(Pipe pipe, @Nullable Object dot) throws TemplateException {
    Object value = null;
    boolean piped = false;
    for (Command command : pipe.commands()) {
      value = command(command, dot, value, piped);
      piped = true;
    }
    for (String name : pipe.variables()) {
      if (pipe.declares()) {
        variables.add(new Variable(name, value));
      } else {
        set(pipe, name, value);
      }
    }
    return value;
  }

  /**
   * Evaluates a command.
   *
   * @param last the result of the preceding command if {@code piped}
   */
  private @Nullable Object command(
      Command command, @Nullable Object dot, @Nullable Object last, boolean piped)
      throws TemplateException {
    step(command);
    Operand first = command.operands().getFirst();
    if (first instanceof Node.Function function) {
      return call(function, command, dot, last, piped);
    }
    if (first instanceof Node.Nil) {
      throw source.failed(first, "nil is not a command");
    }
    if (command.operands().size() > 1 || piped) {
      throw source.failed(
          first,
          first instanceof Node.Fields fields
              ? fields.names().getLast() + " is not a method but has arguments"
              : "can't give argument to non-function " + first.shown());
    }
    return operand(first, dot);
  }

  private @Nullable Object call(
      Node.Function function,
      Command command,
      @Nullable Object dot,
      @Nullable Object last,
      boolean piped)
      throws TemplateException {
    String name = function.name();
    List<Operand> operands = command.operands().subList(1, command.operands().size());
    if (name.equals("and") || name.equals("or")) {
      return shortCut(function, operands, dot, last, piped);
    }
    checked(function, () -> Functions.checkCount(name, operands.size() + (piped ? 1 : 0)));
    List<@Nullable Object> arguments = new ArrayList<>();
    for (Operand operand : operands) {
      Object value = operand(operand, dot);
      check(operand, name, arguments.size(), value);
      arguments.add(value);
    }
    if (piped) {
      checked(
          operands.isEmpty() ? function : operands.getLast(),
          () -> Functions.checkType(name, arguments.size(), last, null));
      arguments.add(last);
    }
    try {
      Object value = functions.call(name, arguments);
      if (value instanceof String text && text.length() > Template.OUTPUT_MAX) {
        throw Functions.tooLong();
      }
      return value;
    } catch (Failure.Refused | Template.QueryFailedException e) {
      throw source.failed(command, "error calling %s: %s".formatted(name, e.getMessage()));
    }
  }

  private void check(Operand operand, String function, int index, @Nullable Object value)
      throws TemplateException {
    boolean written = operand instanceof Node.Constant || operand instanceof Node.Nil;
    String constant = written ? operand.shown() : null;
    checked(operand, () -> Functions.checkType(function, index, value, constant));
  }

  /** Runs a check. An error has the position of a node. */
  private void checked(Node at, Check check) throws TemplateException {
    try {
      check.run();
    } catch (Failure.Refused e) {
      throw source.failed(at, String.valueOf(e.getMessage()));
    }
  }

  /**
   * Evaluates {@code and} or {@code or}: returns the first operand that decides the result, without
   * evaluating the others.
   */
  private @Nullable Object shortCut(
      Node.Function function,
      List<Operand> operands,
      @Nullable Object dot,
      @Nullable Object last,
      boolean piped)
      throws TemplateException {
    if (operands.isEmpty() && !piped) {
      throw source.failed(
          function,
          "wrong number of args for %s: want at least 1 got 0".formatted(function.name()));
    }
    boolean decides = function.name().equals("or");
    Object value = null;
    for (Operand operand : operands) {
      value = operand(operand, dot);
      if (Values.truth(value) == decides) {
        return value;
      }
    }
    return piped ? last : value;
  }

  private @Nullable Object operand(Operand operand, @Nullable Object dot) throws TemplateException {
    step(operand);
    return switch (operand) {
      case Node.Dot d -> dot;
      case Node.Nil n -> null;
      case Node.Constant constant -> constant.value();
      case Node.Variable named -> existing(named, named.name()).value;
      case Pipe pipe -> pipe(pipe, dot);
      case Node.Function function ->
          call(function, new Command(List.of(function), function.start()), dot, null, false);
      case Node.Fields fields -> {
        Operand of = fields.of();
        Object value = of == null ? dot : operand(of, dot);
        for (String name : fields.names()) {
          value = field(fields, value, name);
        }
        yield value;
      }
    };
  }

  private @Nullable Object field(Node.Fields node, @Nullable Object of, String name)
      throws TemplateException {
    switch (of) {
      case Template.Data about -> {
        switch (name) {
          case "Labels" -> {
            return about.labels();
          }
          case "ExternalLabels" -> {
            return about.externalLabels();
          }
          case "ExternalURL" -> {
            return about.externalUrl();
          }
          case "Value" -> {
            return about.value();
          }
          default -> {}
        }
      }
      case Template.Sample sample -> {
        switch (name) {
          case "Labels" -> {
            return sample.labels();
          }
          case "Value" -> {
            return sample.value();
          }
          default -> {}
        }
      }
      case Values.ArgumentMap arguments -> {
        return arguments.values().get(name);
      }
      case Map<?, ?> map -> {
        Object value = map.get(name);
        return value == null ? "" : value;
      }
      case null -> throw source.failed(node, "nil data; no entry for key \"" + name + "\"");
      default -> {}
    }
    throw source.failed(
        node, "can't evaluate field %s in type %s".formatted(name, Values.type(of)));
  }
}
