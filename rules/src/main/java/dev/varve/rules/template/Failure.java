package dev.varve.rules.template;

import java.nio.charset.StandardCharsets;

/** Errors of templates. */
final class Failure {
  private Failure() {}

  /** A template's name and text. */
  record Source(String name, String text) {
    /** Returns a syntax error at a position of the text. */
    TemplateException wrong(int place, String problem) {
      return new TemplateException("template: %s:%d: %s".formatted(name, line(place), problem));
    }

    /** Returns an error in the evaluation of a node. */
    TemplateException failed(Node node, String problem) {
      int start = text.lastIndexOf('\n', Math.max(0, node.start() - 1));
      int column = utf8(text.substring(start < 0 ? 0 : start + 1, node.start()));
      return new TemplateException(
          "template: %s:%d:%d: executing \"%s\" at <%s>: %s"
              .formatted(name, line(node.start()), column, name, node.shown(), problem));
    }

    private long line(int place) {
      return 1
          + text.substring(0, Math.min(place, text.length()))
              .chars()
              .filter(c -> c == '\n')
              .count();
    }

    private static int utf8(String text) {
      return text.getBytes(StandardCharsets.UTF_8).length;
    }
  }

  /** Thrown if a function or operation rejects its operands; the caller adds the position. */
  static final class Refused extends Exception {
    private static final long serialVersionUID = 1;

    Refused(String message) {
      super(message);
    }
  }
}
