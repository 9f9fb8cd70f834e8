package dev.varve.rules.template;

import java.net.URI;
import java.util.List;
import java.util.Map;

/** A parsed text with actions, ready to be expanded. Thread-safe. */
public final class Template {
  /** Maximum number of characters of an expansion, and of any value in it. */
  public static final int OUTPUT_MAX = 1 << 16;

  /** The variables that are predefined in every template of an alert. */
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
   * A sample for which a template is expanded, or that a query in it returns.
   *
   * @param labels the labels, including the name as {@code __name__}
   */
  public record Sample(Map<String, String> labels, double value) {
    public Sample {
      labels = Map.copyOf(labels);
    }
  }

  /**
   * The data for which a template is expanded.
   *
   * @param labels labels of the sample
   * @param externalLabels external labels of the server
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

  /** The surroundings of an expansion: the queries that it can run, and the server's address. */
  public interface Environment {
    /**
     * Evaluates a query.
     *
     * @throws QueryFailedException if the query fails; its message goes into the error of the
     *     template
     */
    List<Sample> query(String expression);

    /** Returns the external URL of the server. */
    URI externalUrl();
  }

  /** Thrown if a query in a template fails. */
  public static final class QueryFailedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public QueryFailedException(String message) {
      super(message);
    }
  }

  /**
   * Parses a template of a label or an annotation.
   *
   * @param alert the name of the alert, for messages
   * @throws TemplateException if the template is invalid, or uses an unsupported feature
   */
  public static Template ofAlert(String alert, String text) throws TemplateException {
    return new Template(new Failure.Source("__alert_" + alert, DEFINITIONS + text));
  }

  /** Returns the path of the page that shows an expression, as {@code tableLink} does. */
  public static String tableLink(String expression) {
    return Functions.link(expression, 1);
  }

  /**
   * Expands the template.
   *
   * @throws TemplateException if the expansion fails or exceeds a limit
   */
  public String expand(Data data, Environment environment) throws TemplateException {
    return new Execution(source, data, new Functions(environment)).run(body);
  }
}
