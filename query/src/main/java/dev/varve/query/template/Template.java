package dev.varve.query.template;

import java.net.URI;
import java.util.List;
import java.util.Map;

/** A text with actions in it, ready to be expanded. Safe for use by several threads. */
public final class Template {
  /** So many characters a template, and whatever stands in it, may become. */
  public static final int OUTPUT_MAX = 1 << 16;

  /** What every template of an alert may name without a word. */
  private static final String DEFINITIONS =
      "{{$labels := .Labels}}{{$externalLabels := .ExternalLabels}}"
          + "{{$externalURL := .ExternalURL}}{{$value := .Value}}";

  private final Failure.Source source;
  private final List<Node.Statement> body;

  private Template(Failure.Source source) throws TemplateException {
    this.source = source;
    this.body = new Parser(source, List.of("$")).parse();
  }

  /**
   * A sample to which a template is expanded, or that a query in it gives.
   *
   * @param labels with the name, as {@code __name__}
   */
  public record Sample(Map<String, String> labels, double value) {
    public Sample {
      labels = Map.copyOf(labels);
    }
  }

  /**
   * What the template is about.
   *
   * @param labels of the sample
   * @param externalLabels of the server
   */
  public record Data(
      Map<String, String> labels,
      Map<String, String> externalLabels,
      String externalUrl,
      double value) {
    public Data {
      labels = Map.copyOf(labels);
      externalLabels = Map.copyOf(externalLabels);
    }
  }

  /** What a template may ask. */
  public interface Environment {
    /**
     * The samples that a query gives.
     *
     * @throws QueryFailedException if it gives none, for its message
     */
    List<Sample> query(String expression);

    /** Where the server is found from outside. */
    URI externalUrl();
  }

  /** A query in a template has failed. */
  public static final class QueryFailedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public QueryFailedException(String message) {
      super(message);
    }
  }

  /**
   * Reads a template of a label or an annotation.
   *
   * @param alert the name of the alert, for messages
   * @throws TemplateException if it is none, or holds what is not supported
   */
  public static Template ofAlert(String alert, String text) throws TemplateException {
    return new Template(new Failure.Source("__alert_" + alert, DEFINITIONS + text));
  }

  /** The path under which an expression is shown, as {@code tableLink} gives it. */
  public static String tableLink(String expression) {
    return Functions.link(expression, 1);
  }

  /**
   * Expands it.
   *
   * @throws TemplateException if it fails, or comes to more than it may
   */
  public String expand(Data data, Environment environment) throws TemplateException {
    return new Execution(source, data, new Functions(environment)).run(body);
  }
}
