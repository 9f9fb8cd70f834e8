package dev.varve.query.running;

/**
 * The text of a query and where it came from.
 *
 * @param language the language or API: {@code promql}, {@code varve}, {@code kairosdb} and so on
 * @param text the query in its language; truncated if long
 * @param client the client's address
 * @param agent the client's user agent; empty if unknown
 * @param share the client to which limits per client apply
 * @param within the selector to whose series the user is bound, as text; empty for none
 */
public record QueryOrigin(
    String dataset,
    String language,
    String text,
    String client,
    String agent,
    String share,
    String within) {
  private static final int TEXT_MAX = 2000;
  private static final int AGENT_MAX = 200;

  /** Truncates long texts. */
  public QueryOrigin {
    text = beginning(text, TEXT_MAX);
    agent = beginning(agent, AGENT_MAX);
  }

  /** Creates an origin whose limits per client apply to the client's address. */
  public QueryOrigin(String dataset, String language, String text, String client, String agent) {
    this(dataset, language, text, client, agent, client, "");
  }

  private static String beginning(String text, int max) {
    if (text.length() <= max) {
      return text;
    }
    int end = Character.isHighSurrogate(text.charAt(max - 1)) ? max - 1 : max;
    return "%s... (%,d characters)".formatted(text.substring(0, end), text.length());
  }
}
