package dev.varve.rules.template;

/**
 * Thrown if a text is not a template, uses an unsupported feature, or could not be expanded. The
 * message contains the template, the line and the problem, in the words of Go if Go reports it too.
 */
public final class TemplateException extends Exception {
  private static final long serialVersionUID = 1;

  TemplateException(String message) {
    super(message);
  }
}
