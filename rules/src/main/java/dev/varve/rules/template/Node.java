package dev.varve.rules.template;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A part of a template. */
sealed interface Node {
  /** Returns where it starts in the text, in UTF-16 units. */
  int start();

  /** Returns its form in error messages. */
  String shown();

  /** An element of the body of a template. */
  sealed interface Statement extends Node {}

  /** A node that has a value. */
  sealed interface Operand extends Node {}

  record Text(String text, int start) implements Statement {
    @Override
    public String shown() {
      return text;
    }
  }

  record Action(Pipe pipe, int start) implements Statement {
    @Override
    public String shown() {
      return pipe.shown();
    }
  }

  enum BranchKind {
    IF,
    WITH,
    RANGE
  }

  record Branch(
      BranchKind kind, Pipe pipe, List<Statement> body, List<Statement> otherwise, int start)
      implements Statement {
    @Override
    public String shown() {
      return pipe.shown();
    }
  }

  /** {@code break} or {@code continue}. */
  record Jump(boolean out, int start) implements Statement {
    @Override
    public String shown() {
      return out ? "break" : "continue";
    }
  }

  /**
   * A pipeline of commands, each of which receives the value of the preceding one.
   *
   * @param variables variables that receive the value; in a {@code range} with two variables, the
   *     first receives the index
   * @param declares whether the variables are new
   */
  record Pipe(List<String> variables, boolean declares, List<Command> commands, int start)
      implements Operand {
    @Override
    public String shown() {
      String names =
          variables.isEmpty() ? "" : String.join(", ", variables) + (declares ? " := " : " = ");
      return names + commands.stream().map(Command::shown).collect(Collectors.joining(" | "));
    }
  }

  record Command(List<Operand> operands, int start) implements Node {
    @Override
    public String shown() {
      return operands.stream()
          .map(operand -> operand instanceof Pipe pipe ? "(" + pipe.shown() + ")" : operand.shown())
          .collect(Collectors.joining(" "));
    }
  }

  record Function(String name, int start) implements Operand {
    @Override
    public String shown() {
      return name;
    }
  }

  record Dot(int start) implements Operand {
    @Override
    public String shown() {
      return ".";
    }
  }

  record Nil(int start) implements Operand {
    @Override
    public String shown() {
      return "nil";
    }
  }

  /**
   * A number, text or boolean.
   *
   * @param shown its source text
   */
  record Constant(Object value, String shown, int start) implements Operand {}

  /**
   * Field access.
   *
   * @param of the value; null for the dot
   */
  record Fields(@Nullable Operand of, List<String> names, int start) implements Operand {
    @Override
    public String shown() {
      String before =
          switch (of) {
            case null -> "";
            case Pipe pipe -> "(" + pipe.shown() + ")";
            case Operand other -> other.shown();
          };
      return before + names.stream().map(name -> "." + name).collect(Collectors.joining());
    }
  }

  record Variable(String name, int start) implements Operand {
    @Override
    public String shown() {
      return name;
    }
  }
}
