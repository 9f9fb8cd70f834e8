package dev.varve.bench;

import java.util.Arrays;
import java.util.List;

/**
 * Arguments of a program of the form {@code name=value}.
 *
 * @param all all arguments; names that the program does not use are ignored
 */
record Arguments(List<String> all) {
  /** Returns the arguments after the first, which has no name. */
  static Arguments afterFirst(String... arguments) {
    return new Arguments(Arrays.asList(arguments).subList(1, arguments.length));
  }

  /** Returns the value of an argument, or a default if it is absent. */
  String text(String name, String otherwise) {
    return all.stream()
        .filter(argument -> argument.startsWith(name + "="))
        .map(argument -> argument.substring(name.length() + 1))
        .findFirst()
        .orElse(otherwise);
  }

  /** Returns the value of an argument as a number, or a default if it is absent. */
  int number(String name, int otherwise) {
    return Integer.parseInt(text(name, Integer.toString(otherwise)));
  }

  /** Returns the value of an argument, or a default, split at commas. */
  List<String> list(String name, String otherwise) {
    return List.of(text(name, otherwise).split(","));
  }
}
