package dev.varve.query.template;

/**
 * A text is no template, uses something that is not supported, or could not be expanded. The
 * message names the template, the line, and what is wrong, in the words of Go where Go has them.
 */
public final class TemplateException extends Exception {
  private static final long serialVersionUID = 1;

  TemplateException(String message) {
    super(message);
  }
}
